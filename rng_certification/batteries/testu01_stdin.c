/* Runs a battery of TestU01 on 32-bit little-endian words from standard input.
 *
 *   cc -O2 testu01_stdin.c -o testu01_stdin \
 *      -ltestu01 -ltestu01probdist -ltestu01mylib -lm
 *   my-generator | ./testu01_stdin small|crush|big
 *
 * TestU01 is not part of this and is not shipped with it: it comes with a licence of its own, which
 * asks for its authors' consent before commercial use.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <testu01/bbattery.h>
#include <testu01/unif01.h>

static unsigned char buffer[1 << 16];
static size_t held, next;

static unsigned int word(void) {
    if (next + 4 > held) {
        held = fread(buffer, 1, sizeof buffer, stdin);
        next = 0;
        if (held < 4) {
            fflush(stdout);
            fprintf(stderr, "the data ended\n");
            exit(3);
        }
    }
    unsigned char *at = buffer + next;
    next += 4;
    return at[0] | (unsigned) at[1] << 8 | (unsigned) at[2] << 16 | (unsigned) at[3] << 24;
}

int main(int count, char **arguments) {
    const char *battery = count > 1 ? arguments[1] : "small";
    unif01_Gen *source = unif01_CreateExternGenBits("standard input", word);
    if (!strcmp(battery, "small"))
        bbattery_SmallCrush(source);
    else if (!strcmp(battery, "crush"))
        bbattery_Crush(source);
    else if (!strcmp(battery, "big"))
        bbattery_BigCrush(source);
    else {
        fprintf(stderr, "%s is no battery: small, crush or big\n", battery);
        return 2;
    }
    unif01_DeleteExternGenBits(source);
    return 0;
}

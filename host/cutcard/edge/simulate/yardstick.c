/* The loop that the simulator is measured against: one box, a fresh pack every round, the British
 * game, any strategy by total. Same generator, same draws, same tables: it must come to the same
 * sums. Plain C for an optimising compiler, with every rule a constant. */
#include <stdint.h>

#define LANES 4
#define BUFFER 2048

static uint64_t s[4][LANES];
static uint32_t numbers[BUFFER];
static int place = BUFFER;

static inline uint64_t turned(uint64_t word, int by) { return word << by | word >> (64 - by); }

static void fill(void)
{
    for (int first = 0; first < BUFFER; first += 2 * LANES)
        for (int lane = 0; lane < LANES; lane++) {
            uint64_t mixed = turned(s[0][lane] + s[3][lane], 23) + s[0][lane];
            numbers[first + 2 * lane] = (uint32_t)mixed;
            numbers[first + 2 * lane + 1] = (uint32_t)(mixed >> 32);
            uint64_t moved = s[1][lane] << 17;
            s[2][lane] ^= s[0][lane];
            s[3][lane] ^= s[1][lane];
            s[1][lane] ^= s[2][lane];
            s[0][lane] ^= s[3][lane];
            s[2][lane] ^= moved;
            s[3][lane] = turned(s[3][lane], 45);
        }
}

static inline uint32_t number(void)
{
    if (place == BUFFER) {
        fill();
        place = 0;
    }
    return numbers[place++];
}

static inline uint32_t below(uint32_t span)
{
    uint64_t product = (uint64_t)number() * span;
    if ((uint32_t)product < span) {
        uint32_t least = -span % span;
        while ((uint32_t)product < least)
            product = (uint64_t)number() * span;
    }
    return product >> 32;
}

static uint8_t *shoe;
static int size, at;

/* The points of the next card. */
static inline int next_card(void)
{
    uint32_t other = at + below(size - at);
    uint8_t card = shoe[other];
    shoe[other] = shoe[at];
    shoe[at++] = card;
    int rank = card % 13;
    return rank < 10 ? rank + 1 : 10;
}

static inline int total_of(int points, int ace) { return ace && points <= 11 ? points + 10 : points; }

enum { STAND = 1, HIT, DOUBLE, SPLIT };
enum { ROUNDS, CARDS, ACTION, MAIN, MAIN_SQUARED };

void rounds(int64_t number_of_rounds, int64_t stake, uint8_t *cards, int number_of_cards,
            const int16_t *actions /* [43][11] */, const uint64_t *state, int64_t *tally)
{
    int64_t dealt = 0, action = 0, main = 0, squared = 0;
    shoe = cards;
    size = number_of_cards;
    for (int i = 0; i < 4 * LANES; i++)
        s[i / LANES][i % LANES] = state[i];
    place = BUFFER;
    for (int64_t played = 0; played < number_of_rounds; played++) {
        at = 0;
        int first = next_card(), up = next_card(), second = next_card();
        int64_t net = 0, put = stake;
        int waiting[64], doubled[64], open = 0, pending[64], left = 0, blackjack = 0;
        int points = first + second, ace = first == 1 || second == 1;
        int total = total_of(points, ace);
        if (total == 21) {
            if (up != 1 && up != 10)
                net = stake * 3 / 2;
            else
                blackjack = 1;
        } else {
            int split_ace = 0, pair = first == second ? first : 0;
            for (;;) {
                int way = 0, cards_of_hand = 2;
                while (!split_ace && total < 21) {
                    int state_of_hand = pair ? 32 + pair : total == points ? total : 10 + total;
                    int wish = actions[state_of_hand * 11 + up];
                    for (;;) {
                        way = wish & 7;
                        if (way <= HIT || (way == SPLIT && pair) ||
                            (way == DOUBLE && cards_of_hand == 2))
                            break;
                        wish >>= 3;
                    }
                    if (way == STAND)
                        break;
                    if (way == SPLIT) {
                        pending[left++] = pair;
                        put += stake;
                        split_ace = pair == 1;
                        int drawn = next_card();
                        points = pair + drawn;
                        ace = pair == 1 || drawn == 1;
                        total = total_of(points, ace);
                        pair = pair == drawn ? pair : 0;
                        continue;
                    }
                    if (way == DOUBLE)
                        put += stake;
                    int drawn = next_card();
                    cards_of_hand++;
                    points += drawn;
                    ace |= drawn == 1;
                    pair = 0;
                    total = total_of(points, ace);
                    if (way == DOUBLE)
                        break;
                }
                if (total > 21)
                    net -= way == DOUBLE ? 2 * stake : stake;
                else {
                    waiting[open] = total;
                    doubled[open++] = way == DOUBLE;
                }
                if (left == 0)
                    break;
                first = pending[--left];
                int drawn = next_card();
                points = first + drawn;
                ace = first == 1 || drawn == 1;
                total = total_of(points, ace);
                pair = first == drawn ? first : 0;
            }
        }
        if (open || blackjack) {
            int dealer_points = up, dealer_ace = up == 1, dealer = up, drawn_cards = 0;
            do {
                int drawn = next_card();
                dealer_points += drawn;
                dealer_ace |= drawn == 1;
                dealer = total_of(dealer_points, dealer_ace);
                drawn_cards++;
            } while (dealer < 17 && open);
            int dealers_blackjack = drawn_cards == 1 && dealer == 21;
            if (blackjack)
                net += dealers_blackjack ? 0 : stake * 3 / 2;
            for (int i = 0; i < open; i++) {
                int64_t money = doubled[i] ? 2 * stake : stake;
                if (dealers_blackjack)
                    net -= money;
                else if (dealer > 21 || waiting[i] > dealer)
                    net += money;
                else if (waiting[i] < dealer)
                    net -= money;
            }
        }
        dealt += at;
        action += put;
        main += net;
        squared += net * net;
    }
    tally[ROUNDS] = number_of_rounds;
    tally[CARDS] = dealt;
    tally[ACTION] = action;
    tally[MAIN] = main;
    tally[MAIN_SQUARED] = squared;
}

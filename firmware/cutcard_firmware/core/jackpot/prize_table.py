"""A prize table as text: a line for each prize, `number of prizes`, a space, `amount`.

    1 1000
    10 100
    25 50

Each line ends with a newline, numbers have no leading zero: so a table has one text, and its
SHA-256 identifies it. Prizes are numbered from 1 in the order of the lines; the first line has
number 1 here, the second 2 to 11.
"""

MOST = 0xFFFFFFFE  # of prizes together, and of an amount


class BadPrizes(ValueError):
    """The text is not a prize table; `row` is the line, from 1, or 0 for the entire table."""

    def __init__(self, row):
        self.row = row


def rows(text):
    """Return (number of prizes, amount) of each line. Raises BadPrizes."""
    found: list = []
    total = worth = 0
    lines = bytes(text).split(b"\n")
    if lines.pop():
        raise BadPrizes(len(lines) + 1)  # the last line has no newline
    for line in lines:
        row = len(found) + 1
        try:
            count, amount = [int(word.decode()) for word in line.split(b" ")]
        except ValueError:
            raise BadPrizes(row)
        if line != b"%d %d" % (count, amount) or not (0 < count <= MOST and 0 <= amount <= MOST):
            raise BadPrizes(row)
        found.append((count, amount))
        total += count
        worth += amount
    if not worth or total > MOST:
        raise BadPrizes(0)
    return found


def total(text):
    return sum(count for count, _ in rows(text))


def amount(text, number):
    """Return the amount of the prize with that number."""
    for count, each in rows(text):
        if number <= count:
            return each
        number -= count
    raise BadPrizes(0)

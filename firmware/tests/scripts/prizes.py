"""The text of a table of prizes: one for each table, and its prizes by number."""

from core.jackpot import prize_table
from doubles import raised

PRIZES = b"1 1000\n10 100\n25 50\n"


def row_of(text):
    """Return the row of the error, or None."""
    try:
        prize_table.rows(text)
    except prize_table.BadPrizes as bad:
        return bad.row
    return None


def test_rows_are_read_in_their_order():
    assert prize_table.rows(PRIZES) == [(1, 1000), (10, 100), (25, 50)]
    assert prize_table.total(PRIZES) == 36
    amounts = [prize_table.amount(PRIZES, number) for number in range(1, 37)]
    assert amounts == [1000] + [100] * 10 + [50] * 25


def test_an_invalid_table_is_refused_with_its_row():
    for text, row in (
        (b"", 0),
        (b"1 5", 1),
        (b"1 5\n\n", 2),
        (b"1 5\nx y\n", 2),
        (b"0 5\n", 1),
        (b"+1 5\n", 1),
        (b"01 5\n", 1),
        (b"1 5 \n", 1),
        (b"1\t5\n", 1),
        (b"\xff\xfe 5\n", 1),
        (b"3 0\n", 0),
        (b"4294967294 1\n1 1\n", 0),
    ):
        assert row_of(text) == row


def test_no_number_beyond_the_last_has_a_prize():
    raised(prize_table.BadPrizes, prize_table.amount, PRIZES, 37)

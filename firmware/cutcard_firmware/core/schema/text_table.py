"""Tables as texts: a line for each code, parsed on demand.

As dictionaries of tuples the message schema would take a fifth of a board's memory. The last few
rows may be cached, because parsing one takes a board two milliseconds.
"""


class Rows:
    """Lines `code|name|more|...`, each after a newline: from the code to a tuple of the rest."""

    def __init__(self, text, every="", most=0):
        self.text = text
        self.every = every  # the expansion of the field `every`
        self._kept: dict = {}
        self._most = most  # number of cached rows

    def get(self, code):
        row = self._kept.get(code)
        if row is None:
            row = self._read(code)
            if row is not None and self._most:
                if len(self._kept) == self._most:
                    self._kept.clear()
                self._kept[code] = row
        return row

    def _read(self, code):
        at = self.text.find("\n" + str(code) + "|")
        if at < 0:
            return None
        row = self.text[at + 1 : self.text.find("\n", at + 1)]
        return tuple(row.replace("every|", self.every + "|").split("|")[1:])

    def __getitem__(self, code):
        row = self.get(code)
        if row is None:
            raise KeyError(code)
        return row

    def __contains__(self, code):
        return self.get(code) is not None

    def __iter__(self):
        for line in self.lines():
            yield int(line[: line.find("|")])

    def __len__(self):
        return self.text.count("\n") - 1

    def lines(self, at=0):
        """Yield the line of each row after the place `at` of the text."""
        while at < len(self.text) - 1:
            end = self.text.find("\n", at + 1)
            yield self.text[at + 1 : end]
            at = end

    def end_of(self, number):
        """Return the place in the text after the first `number` rows, or after all if fewer."""
        at = 0
        for _ in range(min(number, len(self))):
            at = self.text.find("\n", at + 1)
        return at

    def items(self):
        return [(code, self[code]) for code in self]


class Texts(Rows):
    """Lines `code|name more`: from the code to the text."""

    def _read(self, code):
        row = super()._read(code)
        return None if row is None else row[0]


class Codes:
    """The reverse: from a row's name to its code."""

    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, name):
        text = self.rows.text
        for end in "| \n":
            at = text.find("|" + name + end)
            if at >= 0 and text[text.rfind("\n", 0, at) + 1 : at].isdigit():
                return int(text[text.rfind("\n", 0, at) + 1 : at])
        raise KeyError(name)

    def __iter__(self):
        for code in self.rows:
            row = self.rows[code]
            yield row.split()[0] if isinstance(row, str) else row[0]

    def items(self):
        return [(name, self[name]) for name in self]

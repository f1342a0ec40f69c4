"""A small terminal: what stands on its screen, also after its width has changed.

When it becomes narrower or wider it breaks and joins rows again, as tmux and most terminals with windows do. It has as
many rows as it needs.
"""

import re

SEQUENCE = re.compile(r"\x1b\[(\??)(\d*)([A-Za-z])")


class Screen:
    def __init__(self, columns):
        self.columns = columns
        self.wraps = True
        # Each row is its characters, and whether the next row continues it.
        self.rows = [[[], False]]
        self.row = self.column = 0
        self.rest = ""

    def feed(self, text):
        """Takes what a program writes, which may end within a sequence."""
        text = self.rest + text
        self.rest = ""
        place = 0
        while place < len(text):
            if text[place] == "\x1b":
                found = SEQUENCE.match(text, place)
                if not found:
                    self.rest = text[place:]
                    return
                self.obey(*found.groups())
                place = found.end()
            else:
                self.put(text[place])
                place += 1

    def obey(self, private, number, kind):
        cells = self.rows[self.row][0]
        if (private, number) == ("?", "7"):
            self.wraps = kind == "h"
        elif (number, kind) == ("", "J"):
            del cells[self.column:]
            del self.rows[self.row + 1:]
            self.rows[self.row][1] = False
        elif (number, kind) == ("2", "K"):
            self.rows[self.row] = [[], False]
        else:
            assert kind == "m", f"the screen does not know ESC [ {private}{number}{kind}"

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.advance()
        else:
            if self.column == self.columns:
                if self.wraps:
                    self.rows[self.row][1] = True
                    self.advance()
                    self.column = 0
                else:
                    self.column -= 1
            cells = self.rows[self.row][0]
            cells += " " * (self.column - len(cells))
            cells[self.column:self.column + 1] = character
            self.column += 1

    def advance(self):
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append([[], False])

    def resize(self, columns):
        """Breaks the lines anew; the cursor stays at its character."""
        lines, offset = [[]], 0
        for number, (cells, continues) in enumerate(self.rows):
            if number == self.row:
                place, offset = len(lines) - 1, len(lines[-1]) + self.column
            lines[-1] += cells
            if not continues and number + 1 < len(self.rows):
                lines.append([])
        self.columns, self.rows = columns, []
        for number, line in enumerate(lines):
            pieces = [line[start:start + columns] for start in range(0, max(len(line), 1), columns)]
            if number == place:
                last = min(offset // columns, len(pieces) - 1)
                self.row, self.column = len(self.rows) + last, min(offset - last * columns, columns)
            self.rows += [[piece, piece is not pieces[-1]] for piece in pieces]

    def lines(self):
        """The lines of text, each with the number of rows that it has."""
        lines, height, text = [], 0, ""
        for cells, continues in self.rows:
            text, height = text + "".join(cells), height + 1
            if not continues:
                lines.append((text.rstrip(), height))
                text, height = "", 0
        return [line for line in lines if line[0]]

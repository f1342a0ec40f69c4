"""Reads what a worker that is no more left in its store: a second reader of its records, for what is asked here."""

import pathlib
import shutil
import sqlite3
import struct

FORM = 1
RUN, PROGRESS = 2, 3


class Reader:
    """The values of one record, one after the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def tag(self):
        self.at += 1
        return self.data[self.at - 1]

    def unsigned(self):
        value = shift = 0
        while (byte := self.tag()) >= 0x80:
            value, shift = value | (byte & 0x7F) << shift, shift + 7
        return value | byte << shift

    def integer(self):
        value = self.unsigned()
        return value >> 1 ^ -(value & 1)

    def text(self):
        count = self.unsigned()
        self.at += count
        return bytes(self.data[self.at - count : self.at]).decode()

    def fixed(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def optional(self, read):
        return read() if self.tag() else None

    def array(self, read):
        return [read() for _ in range(self.unsigned())]

    def object(self):
        return dict(self.array(lambda: (self.text(), self.json())))

    def json(self):
        readers = [None, None, None, self.integer, lambda: struct.unpack("<d", self.fixed(8))[0], self.text]
        readers += [lambda: self.array(self.json), self.object]
        tag = self.tag()
        return (None, False, True)[tag] if tag < 3 else readers[tag]()

    def outcome(self):
        """An action, and how it ended."""
        action = self.text()
        result = ("completed", "skipped", "failed")[self.tag()]
        if result == "failed":
            self.text()
        for _ in range(4):
            self.integer()
        return action, result

    def progress(self):
        """The actions of an unfinished run that have ended."""
        self.optional(lambda: self.array(self.text))
        return self.array(self.outcome)

    def digest(self):
        return self.fixed(32)

    def definition(self):
        self.digest()
        self.array(lambda: (self.text(), self.digest(), self.digest()))

    def origin(self):
        """What requested a run of the worker itself: an action, a monitor or an event; then the causers, and two more."""
        for _ in range((2, 2, 1)[self.tag()]):
            self.text()
        self.array(self.text)
        return self.integer(), self.tag()

    def key(self):
        """An exclusive key: whether it is a pipeline's or a group's, whose, and its text."""
        return self.tag(), self.text(), self.text()

    def end(self):
        """How a run ended and with which actions; None if it has not."""
        for read in (self.text, self.text, self.digest, self.text, self.definition, self.text):
            read()
        for read in (lambda: self.optional(self.text), self.object, lambda: self.optional(self.text)):
            read()
        self.optional(self.key)
        self.integer()
        for read in (self.integer, self.integer, self.origin):
            self.optional(read)
        return self.optional(lambda: (self.text(), self.text(), self.array(self.outcome)))


def copy(store, place):
    """A copy of the store of a worker that is no more, at `place`; reading that leaves the store as it is."""
    if not isinstance(store, pathlib.Path):
        store.dump(place)
        return place
    for suffix in ("", "-wal"):
        source = store.with_name(store.name + suffix)
        if source.exists():
            shutil.copy(source, place.with_name(place.name + suffix))
        else:
            place.with_name(place.name + suffix).unlink(missing_ok=True)
    return place


def rows(store):
    """Each record: kind, key, and a reader of its value. Fails if SQLite does not find the file sound."""
    with open(store, "rb") as file:
        is_dump = file.read(6) != b"SQLite"
    if is_dump:
        for line in store.read_text().splitlines():
            kind, key, value = line.split(" ")
            reader = Reader(bytes.fromhex(value))
            assert reader.tag() == FORM
            yield int(kind), bytes.fromhex(key).decode(), reader
        return
    database = sqlite3.connect(store)
    try:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        for kind, key, value in database.execute("SELECT kind, key, value FROM records"):
            reader = Reader(value)
            assert reader.tag() == FORM
            yield kind, bytes(key).decode(), reader
    finally:
        database.close()


def ended(store):
    """By run: what it came to, or None, and by action how each ended that has."""
    ends, progress = {}, {}
    for kind, run, value in rows(store):
        if kind == PROGRESS:
            progress[run] = dict(value.progress())
        elif kind == RUN:
            ends[run] = value.end()
    return {
        run: (end[0], dict(end[2])) if end else (None, progress.get(run, {})) for run, end in ends.items()
    }

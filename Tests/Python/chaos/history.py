"""What clients sent and heard, one line each in a file for each client, with how often the worker had been killed."""

import dataclasses
import json
import time


@dataclasses.dataclass
class Line:
    """One line of a log: what was `sent` or what was `heard`, the other is None."""

    client: str
    at: float
    kills: int
    sent: dict | None = None
    heard: dict | None = None


class History:
    """The logs of all clients, while they are written."""

    def __init__(self, directory):
        self.directory = directory / "clients"
        self.directory.mkdir()
        self.kills = 0
        self._files = {}

    def sent(self, client, command, subject, attributes, body, id):
        request = {"command": command, "subject": subject, "attributes": attributes, "body": body, "id": id}
        self._write(client, sent=request)

    def heard(self, client, answer):
        self._write(client, heard=answer)

    def _write(self, client, **what):
        if client not in self._files:
            self._files[client] = open(self.directory / f"{client}.log", "a", buffering=1)
        line = {"at": time.monotonic(), "kills": self.kills, **what}
        self._files[client].write(json.dumps(line) + "\n")

    def close(self):
        for file in self._files.values():
            file.close()

    def lines(self):
        """Everything that was written, in the order of time."""
        lines = []
        for path in self.directory.glob("*.log"):
            lines += [Line(client=path.stem, **json.loads(line)) for line in path.read_text().splitlines()]
        return sorted(lines, key=lambda line: line.at)

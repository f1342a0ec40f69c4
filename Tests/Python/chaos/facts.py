"""What the logs of the clients say, by what it is about."""

import collections

from chaos.history import Line

# What two answers to one request may differ in.
INCIDENTAL = ("id", "replayed", "details", "retention_ms")


def content(answer):
    """An answer without what may differ when it is said again."""
    return {key: value for key, value in answer.items() if key not in INCIDENTAL}


class Facts:
    """Requests by id, and what was heard of them and of runs."""

    def __init__(self, lines):
        self.requests = {line.sent["id"]: line.sent for line in lines if line.sent}
        self.heard: dict[str, list[Line]] = collections.defaultdict(list)
        for line in lines:
            if line.heard:
                self.heard[line.heard["answer"]].append(line)
        self.runs = {}
        self.pipelines = {}
        for line in self.heard["ACCEPTED"] + self.heard["RESULT"]:
            request = self.requests[line.heard["id"]]
            if request["command"] == "RUN":
                self.runs.setdefault(request["id"], set()).add(line.heard["run"])
                self.pipelines[line.heard["run"]] = request["subject"]
        self.results, self.ended_in = {}, {}
        for line in self.heard["RESULT"]:
            self.results.setdefault(line.heard["run"], line.heard)
            # In that life of the worker or an earlier one.
            self.ended_in.setdefault(line.heard["run"], line.kills)

    def answers(self, answer, command):
        """What was heard of the requests of one command: the request, and all answers of one kind to it."""
        by_request = collections.defaultdict(list)
        for line in self.heard[answer]:
            if self.requests[line.heard["id"]]["command"] == command:
                by_request[line.heard["id"]].append(line)
        return [(self.requests[id], lines) for id, lines in by_request.items()]

    @property
    def acknowledged(self):
        """How many requests were answered as lasting."""
        lasting = {
            line.heard["id"]
            for answer in ("ACCEPTED", "VERDICT", "OK")
            for line in self.heard[answer]
            if line.heard.get("durability") == "fsynced"
        }
        return len(lasting)

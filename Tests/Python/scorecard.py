"""What a test says of its trials, for the rows of `Tests/Tools/scorecard` that it shows: see FORGE_SCORECARD."""

import json
import os


class Score:
    """A test is one trial, unless it says otherwise."""

    def __init__(self):
        self.n, self.violations, self.seed, self.times = 1, 0, None, []

    def take(self, n, violations=0, times=(), seed=None):
        """What was tried so often, how often it was not as it was promised, and how many seconds each trial took."""
        self.n, self.violations, self.seed, self.times = n, violations, seed, sorted(times)

    def record(self):
        milliseconds = [round(1000 * time, 3) for time in self.times]
        places = {"p50": 50, "p99": 99, "max": 100} if milliseconds else {}
        measures = {name: milliseconds[(len(milliseconds) - 1) * part // 100] for name, part in places.items()}
        seed = {} if self.seed is None else {"seed": self.seed}
        return {**seed, "n": self.n, "violations": int(self.violations), **measures}


def append(row, record):
    """Writes it down, if somebody wants to know."""
    if path := os.environ.get("FORGE_SCORECARD"):
        with open(path, "a") as file:
            file.write(json.dumps({"row": row, **record}) + "\n")

"""The checker of kills finds each lie that is told to it, and nothing in a story that is true."""

import copy

import pytest

from chaos.bakery import Effect
from chaos.checker import violations_of_answers
from chaos.executions import violations_of_executions
from chaos.facts import Facts
from chaos.history import Line

ACTIONS = ("mix", "rise", "bake", "sell")
LASTING = {"durability": "fsynced", "retention_ms": 60_000}
RESULT = {
    "answer": "RESULT",
    "id": "r-1",
    "run": "run-1",
    "state": "completed",
    "reason": "",
    "actions": [{"action": action, "result": "completed", "start_us": 1, "duration_us": 1} for action in ACTIONS],
    "outputs": {"name": "r-1", "mix": 1, "rise": 2, "bake": 1, "sell": 1},
}
APPROVAL = {"answer": "VERDICT", "id": "c-1", "signal": "taste.r-2", "verdict": "delivered", **LASTING}
CONFLICT = {"id": "c-2", "verdict": "conflict", "standing": "approved", "by": "local", "at_ms": 1}
TASTED = {
    **RESULT,
    "id": "r-2",
    "run": "run-2",
    "actions": [{"action": action, "result": "completed"} for action in ("bake", "taste", "sell")],
    "outputs": {"name": "r-2", "bake": 1, "taste": {"by": "c-1"}, "sell": 1},
}


class Story:
    """What was sent, heard and done, and what the store has: a run that a kill cut short, and one that was approved."""

    def __init__(self, directory):
        self.directory = directory
        self.lines = []
        for command, subject, id, body in (
            ("RUN", "strict", "r-1", {"name": "r-1"}),
            ("RUN", "gated", "r-2", {"name": "r-2"}),
            ("COMPLETE", "taste.r-2", "c-1", {"by": "c-1"}),
            ("REJECT", "taste.r-2", "c-2", "no"),
            ("CANCEL", "run-1", "k-1", "too late"),
            ("NOTIFY", "stock.n-1", "n-1", None),
        ):
            request = {"command": command, "subject": subject, "id": id, "attributes": {}, "body": body}
            self.lines.append(Line("client", 0, 0, sent=request))
        self.hear(0, {"answer": "ACCEPTED", "id": "r-1", "run": "run-1", **LASTING})
        self.hear(0, {"answer": "ACCEPTED", "id": "r-2", "run": "run-2", **LASTING})
        self.hear(0, {"answer": "ACCEPTED", "id": "n-1", "monitors": 1, **LASTING})
        self.progress = self.hear(
            0, {"answer": "PROGRESS", "id": "r-1", "run": "run-1", "sequence": 2, "state": "finished", "action": "mix"}
        )
        self.result = self.hear(1, RESULT)
        self.approval = self.hear(1, APPROVAL)
        self.conflict = self.hear(1, {**APPROVAL, **CONFLICT})
        self.tasted = self.hear(1, TASTED)
        self.cancellation = self.hear(1, {"answer": "OK", "id": "k-1", "run": "run-1", "state": "completed", **LASTING})
        self.effects = [effect(0, "mix"), effect(0, "rise"), effect(1, "rise", 2), effect(1, "bake"), effect(1, "sell")]
        self.effects += [Effect(1, "run-2", action, 1, f"run-2/{action}") for action in ("bake", "sell")]
        done = dict.fromkeys(ACTIONS, "completed")
        self.snapshots = [
            {"run-1": (None, {"mix": "completed"}), "run-2": (None, {})},
            {"run-1": ("completed", done), "run-2": ("completed", {"bake": "completed", "sell": "completed"})},
        ]
        self.cycle = '0 {"topics":[{"topic":"stock.n-1"}],"others":0}\n'

    def hear(self, kills, answer):
        answer = copy.deepcopy(answer)
        self.lines.append(Line("client", len(self.lines), kills, heard=answer))
        return answer

    def violations(self):
        (self.directory / "cycles").write_text(self.cycle)
        facts = Facts(self.lines)
        found = [*violations_of_answers(facts, self.directory, self.snapshots[-1])]
        return found + [*violations_of_executions(facts, self.effects, self.snapshots)]


def effect(start, action, attempt=1, token=None):
    return Effect(start, "run-1", action, attempt, token or f"run-1/{action}")


LIES = {
    "has no result": lambda story: story.result.update(answer="PONG"),
    "began several runs": lambda story: story.hear(1, {"answer": "ACCEPTED", "id": "r-1", "run": "run-9", **LASTING}),
    "has two results": lambda story: story.hear(1, {**RESULT, "state": "failed"}),
    "two changes under one number": lambda story: story.hear(1, {**story.progress, "action": "sell"}),
    "got unknown_run": lambda story: story.hear(
        1, {"answer": "ERROR", "id": "r-1", "code": "unknown_run", "message": "It is gone.", "retryable": False}
    ),
    "got several answers": lambda story: story.hear(1, {**APPROVAL, "verdict": "duplicate"}),
    "took two decisions": lambda story: story.conflict.update(verdict="delivered"),
    "took a decision, and had expired": lambda story: story.conflict.update(verdict="expired"),
    "waited until its gate had expired": lambda story: story.approval.update(verdict="expired"),
    "what stands is approved": lambda story: story.conflict.update(standing="rejected"),
    "and went on with": lambda story: story.tasted["outputs"].update(taste={"by": "c-9"}),
    "got COMPLETE of c-1, and ended failed": lambda story: story.tasted.update(state="failed"),
    "was said to be stopping, and ended completed": lambda story: story.cancellation.update(state="stopping"),
    "no cycle was told of stock.n-1": lambda story: setattr(story, "cycle", '0 {"topics":[],"others":0}\n'),
    "which nobody was told of": lambda story: story.snapshots[-1].update({"run-9": ("completed", {})}),
    "the store does not have run-1": lambda story: story.snapshots[-1].pop("run-1"),
    "the store has run-1 as failed": lambda story: story.snapshots[-1].update({"run-1": ("failed", {})}),
    "run-9 is nobody's": lambda story: story.effects.append(Effect(0, "run-9", "mix", 1, "run-9/mix")),
    "had two tokens": lambda story: story.effects.append(effect(1, "sell", 2, "another")),
    "stands for": lambda story: story.effects.append(effect(1, "sell", 2, "run-1/mix")),
    "sell has attempts that are not numbered upwards": lambda story: story.effects.append(effect(1, "sell")),
    "rise has attempts that are not numbered upwards": lambda story: story.effects.append(effect(2, "rise", 1)),
    "executed again after kill 1": lambda story: story.effects.append(effect(1, "mix", 2)),
    "stopped in life 0, and bake was executed in 1": lambda story: (
        story.hear(0, {**story.progress, "sequence": 3, "state": "parked"}),
        story.snapshots.append(story.snapshots[-1]),
    ),
    "mix was over in life 0": lambda story: story.effects.append(effect(1, "mix", 2)),
    "sell was over in life 1": lambda story: story.effects.append(effect(2, "sell", 2)),
    "is skipped in its result, and was executed": lambda story: story.result["actions"][3].update(
        result="skipped", duration_us=0
    ),
    "is completed with attempt 3": lambda story: story.result["outputs"].update(rise=3),
    "is completed with attempt 1": lambda story: story.effects.pop(),
}


def test_a_true_story_has_no_violations(directory):
    assert Story(directory).violations() == []


@pytest.mark.parametrize("told", LIES)
def test_a_lie_is_found(directory, told):
    story = Story(directory)
    LIES[told](story)
    assert told in "\n".join(story.violations())

"""Whether actions were executed as often as they may be: what was done, beside what was committed and said."""

import collections

from chaos.bakery import STRICT


def violations_of_executions(facts, effects, snapshots):
    """Everything that the commands' own log tells.

    effects: each execution, in order. snapshots: what was committed of each run at each kill, and at the end.
    """
    yield from known(facts, effects)
    yield from counted(effects)
    yield from repeated(facts, effects)
    yield from finished(facts, effects, snapshots)
    yield from parked(facts, effects, len(snapshots) - 1)
    yield from completed(facts, effects)


def known(facts, effects):
    """Nothing was done for a run that nobody was told of, and each action has one token of its own."""
    tokens = {}
    for effect in effects:
        if effect.run not in facts.pipelines:
            yield f"{effect.run} is nobody's, and {effect.action} was executed for it"
        action = tokens.setdefault(effect.token, (effect.run, effect.action))
        if action != (effect.run, effect.action):
            yield f"{effect.token} stands for {action} and for {effect.run} {effect.action}"
    if len(set(tokens.values())) != len(tokens):
        yield "an action had two tokens"


def counted(effects):
    """Attempts at an action are numbered upwards, whatever was kept of the earlier ones: redriven, and in each life."""
    attempts = collections.defaultdict(list)
    for effect in effects:
        attempts[effect.run, effect.action].append((effect.start, effect.attempt))
    for (run, action), made in attempts.items():
        # A command that is killed with its worker may be late.
        numbers = [attempt for _, attempt in sorted(made, key=lambda pair: pair[0])]
        if any(later <= earlier for earlier, later in zip(numbers, numbers[1:])):
            yield f"{run} {action} has attempts that are not numbered upwards: {made}"


def repeated(facts, effects):
    """With strict checkpoints a kill has the action in progress executed again, and no other."""
    done = collections.defaultdict(lambda: collections.defaultdict(set))
    for effect in effects:
        if facts.pipelines.get(effect.run) in STRICT:
            done[effect.run][effect.start].add(effect.action)
    for run, starts in done.items():
        before = set()
        for start, actions in sorted(starts.items()):
            if len(actions & before) > 1:
                yield f"{run} has {sorted(actions & before)} executed again after kill {start}"
            before |= actions


def finished(facts, effects, snapshots):
    """What was committed as done, or told, is never done again by a later life of the worker."""
    over = {}
    for kill, snapshot in enumerate(snapshots, start=1):
        for run, (state, actions) in snapshot.items():
            if state:
                over.setdefault((run, None), kill - 1)
            for action in actions:
                over.setdefault((run, action), kill - 1)
    for line in facts.heard["RESULT"]:
        over[line.heard["run"], None] = min(over.get((line.heard["run"], None), line.kills), line.kills)
    for line in facts.heard["PROGRESS"]:
        if line.heard["state"] == "finished":
            key = line.heard["run"], line.heard["action"]
            over[key] = min(over.get(key, line.kills), line.kills)
    for effect in effects:
        for key in ((effect.run, effect.action), (effect.run, None)):
            if effect.start > over.get(key, effect.start):
                yield f"{effect.run} {effect.action} was over in life {over[key]}, and executed in {effect.start}"


def parked(facts, effects, last):
    """What stopped stays so until somebody has it go on, which nobody did before the worker's last life."""
    stopped = {}
    for line in facts.heard["PROGRESS"]:
        if line.heard["state"] == "parked":
            stopped[line.heard["run"]] = min(line.kills, stopped.get(line.heard["run"], line.kills))
    for effect in effects:
        if stopped.get(effect.run, last) < effect.start < last:
            life = stopped[effect.run]
            yield f"{effect.run} stopped in life {life}, and {effect.action} was executed in {effect.start}"


def completed(facts, effects):
    """What a result calls completed was done, in the attempt whose output the run has; what was skipped was not."""
    made = collections.defaultdict(list)
    for effect in effects:
        made[effect.run, effect.action].append(effect)
    for run, result in facts.results.items():
        for action in result["actions"]:
            executed = made[run, action["action"]]
            # One that took its time was broken off by a cancellation, which counts as skipped.
            is_untouched = action["result"] == "skipped" and not action.get("duration_us")
            if is_untouched and any(_is_known(facts, effect) for effect in executed):
                yield f"{run} {action['action']} is skipped in its result, and was executed"
            if action["result"] == "completed" and action["action"] != "taste":
                yield from _done(run, action["action"], result, {effect.attempt for effect in executed})


def _is_known(facts, effect):
    """Whether the worker that told the result knows of it: else an execution may be unknown that a kill cut short."""
    return facts.pipelines[effect.run] in STRICT or effect.start == facts.ended_in[effect.run]


def _done(run, action, result, attempts):
    # What a run that did not complete has set may be left out.
    output = result["outputs"].get(action)
    is_told = result["state"] == "completed" or output is not None
    if not attempts or is_told and output not in attempts:
        yield f"{run} {action} is completed with attempt {output}, and there were {sorted(attempts)}"

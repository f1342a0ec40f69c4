"""Whether what was acknowledged is kept: each function tells, in a sentence each, what is not as it was promised."""

from chaos.bakery import topics_told
from chaos.facts import content


STOPPED = {"stopping": ("cancelled", "timed_out")}


def violations_of_answers(facts, directory, left, clocks_go_back=False):
    """Everything that the clients alone, and the store that is left, can tell.

    Where a clock on the wall goes back, numbers of progress may come again: the page NumbersAcrossRestarts says so.
    """
    for check in (errors, runs, results, sequences, verdicts, decisions, cancellations):
        if check is not sequences or not clocks_go_back:
            yield from check(facts)
    yield from notifications(facts, directory)
    yield from store(facts, left)


def errors(facts):
    """Nothing that was asked is refused for good."""
    for line in facts.heard["ERROR"]:
        if not line.heard["retryable"]:
            yield f"{line.heard['id']} got {line.heard['code']}: {line.heard['message']}"


def runs(facts):
    """Every request to run has one run, which has ended."""
    for id, runs in facts.runs.items():
        if len(runs) > 1:
            yield f"{id} began several runs: {sorted(runs)}"
        yield from (f"{run} of {id} was accepted and has no result" for run in runs if run not in facts.results)


def results(facts):
    """A run has one result, whoever asks and whenever."""
    for line in facts.heard["RESULT"]:
        first = facts.results[line.heard["run"]]
        if content(line.heard) != content(first):
            yield f"{line.heard['run']} has two results: {content(first)} and {content(line.heard)}"


def sequences(facts):
    """One number of a run's progress means one change, on every connection."""
    changes = {}
    for line in facts.heard["PROGRESS"]:
        change = content(line.heard)
        first = changes.setdefault((change["run"], change["sequence"]), change)
        if first != change:
            yield f"{change['run']} has two changes under one number: {first} and {change}"


def verdicts(facts):
    """The same decision sent again gets the same verdict, and a request the same confirmation."""
    for answer, command in (("VERDICT", "COMPLETE"), ("VERDICT", "REJECT"), ("OK", "CANCEL"), ("OK", "REDRIVE")):
        for request, lines in facts.answers(answer, command):
            said = {str(content(line.heard)) for line in lines}
            if len(said) > 1:
                yield f"{request['id']} got several answers: {sorted(said)}"


def decisions(facts):
    """One decision wins at a gate: the others are told so, and the run goes on with that one."""
    won = {}
    told = facts.answers("VERDICT", "COMPLETE") + facts.answers("VERDICT", "REJECT")
    expired = {request["subject"] for request, lines in told if lines[0].heard["verdict"] == "expired"}
    for request, lines in told:
        if lines[0].heard["verdict"] in ("delivered", "buffered"):
            first = won.setdefault(request["subject"], request)
            if (first["command"], first["body"]) != (request["command"], request["body"]):
                yield f"{request['subject']} took two decisions: {first['id']} and {request['id']}"
    for request, lines in told:
        standing = {"COMPLETE": "approved", "REJECT": "rejected"}.get(won.get(request["subject"], {}).get("command"))
        if lines[0].heard["verdict"] == "conflict" and lines[0].heard["standing"] != standing:
            yield f"{request['id']} was told of {lines[0].heard['standing']}, and what stands is {standing}"
    yield from (f"{signal} took a decision, and had expired" for signal in expired & won.keys())
    for id, (run, *_) in facts.runs.items():
        taste = won.get(f"taste.{id}")
        result = facts.results.get(run)
        if taste and result and result["state"] in ("completed", "failed"):
            yield from _followed(run, taste, result)
        if f"taste.{id}" in expired and result and result["state"] == "completed":
            yield f"{run} waited until its gate had expired, and completed"


def _followed(run, decision, result):
    approved = decision["command"] == "COMPLETE"
    if approved and result["outputs"].get("taste") != decision["body"]:
        yield f"{run} was approved with {decision['body']}, and went on with {result['outputs']}"
    if approved != (result["state"] == "completed"):
        yield f"{run} got {decision['command']} of {decision['id']}, and ended {result['state']}"


def cancellations(facts):
    """A run that was said to be cancelled is, and one that had ended stays what it was."""
    for request, lines in facts.answers("OK", "CANCEL"):
        said, result = lines[0].heard["state"], facts.results.get(request["subject"], {}).get("state")
        # One that is stopping may be so because its deadline passed first.
        if result not in (said, *STOPPED.get(said, ())):
            yield f"{request['subject']} was said to be {said}, and ended {result}"


def notifications(facts, directory):
    """Every notification that was taken as lasting was told to a cycle."""
    told, unnamed = topics_told(directory)
    untold = []
    for request, lines in facts.answers("ACCEPTED", "NOTIFY"):
        if lines[0].heard["durability"] != "fsynced":
            yield f"{request['id']} asked for fsynced and got {lines[0].heard['durability']}"
        if request["subject"] not in told:
            untold.append(request["subject"])
    if len(untold) > unnamed:
        yield from (f"no cycle was told of {topic}" for topic in untold)


def store(facts, left):
    """The store has the runs that were accepted, as they ended, and no others."""
    accepted = {run for runs in facts.runs.values() for run in runs}
    yield from (f"the store has {run}, which nobody was told of" for run in left.keys() - accepted)
    yield from (f"the store does not have {run}, which was accepted" for run in accepted - left.keys())
    for run, (state, _) in left.items():
        said = facts.results.get(run, {}).get("state")
        if run in accepted and state != said:
            yield f"the store has {run} as {state}, and its clients were told {said}"

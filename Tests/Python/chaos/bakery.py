"""What the worker serves while it is killed: pipelines and a monitor whose commands write down that they ran."""

import collections
import json

CONFIGURATION = """
worker: {name: bakery, cancel_grace: 5s}
monitors:
  stock:
    topics: [stock.>]
    minimum_gap: 20ms
    actions:
      - {id: count, run: [./count]}
pipelines:
  plain:
    seeds: {name: {type: string}}
    outputs: [name, mix, bake, sell]
    actions:
      - {id: mix, run: [./effect]}
      - {id: bake, run: [./effect, slowly]}
      - {id: sell, run: [./effect]}
  strict:
    checkpoint: strict
    seeds: {name: {type: string}}
    outputs: [name, mix, rise, bake, sell]
    actions:
      - {id: mix, run: [./effect]}
      - {id: rise, run: [./effect, slowly]}
      - {id: bake, run: [./effect]}
      - {id: sell, run: [./effect]}
  gated:
    checkpoint: strict
    seeds: {name: {type: string}}
    outputs: [name, bake, taste, sell]
    actions:
      - {id: bake, run: [./effect]}
      - {id: taste, gate: {signal: "taste.{seed.name}", deadline: 600ms}}
      - {id: sell, run: [./effect]}
  flaky:
    seeds: {name: {type: string}}
    outputs: [name, mix, bake, sell]
    actions:
      - {id: mix, run: [./effect]}
      - {id: bake, run: [./effect, at-second-attempt], retry: {attempts: 4, backoff: 20ms}}
      - {id: sell, run: [./effect]}
  picky:
    seeds: {name: {type: string}}
    outputs: [name, mix, bake, sell]
    actions:
      - {id: mix, run: [./effect]}
      - {id: bake, run: [./effect, with-oven], on_failure: park}
      - {id: sell, run: [./effect]}
"""
PIPELINES = ("plain", "strict", "gated", "flaky", "picky")
STRICT = ("strict", "gated")

# A command has no variable of the test's, but the worker's HOME: its last part says which start of the worker it was. Where
# another process can take the worker over, its epoch says that.
START = '"$([ -n "$FORGE_EPOCH" ] && echo $((FORGE_EPOCH - 1)) || echo "${HOME##*/}")"'
EFFECT = f"""#!/bin/sh
printf '%s %s %s %s %s\\n' {START} "$FORGE_RUN" "$FORGE_ACTION" "$FORGE_ATTEMPT" "$FORGE_TOKEN" >> effects
case "$1" in
slowly) sleep 0.02 ;;
at-second-attempt) [ "$FORGE_ATTEMPT" != 1 ] || exit 1 ;;
with-oven) [ -e oven ] || exit 1 ;;
esac
printf '{{"%s":%s}}' "$FORGE_ACTION" "$FORGE_ATTEMPT"
"""
COUNT = f"""#!/bin/sh
read -r causes
printf '%s %s\\n' {START} "$causes" >> cycles
"""

Effect = collections.namedtuple("Effect", "start run action attempt token")


def furnish(directory):
    """Puts the commands where the worker looks for them."""
    for name, text in {"effect": EFFECT, "count": COUNT}.items():
        (directory / name).write_text(text)
        (directory / name).chmod(0o755)
    (directory / "effects").touch()
    (directory / "cycles").touch()


def whole_lines(path):
    """The lines that are there to their ends: what is being appended shows page by page."""
    return path.read_text().rpartition("\n")[0].splitlines()


def effects(directory):
    """Each execution of an action, in the order in which they happened."""
    for line in whole_lines(directory / "effects"):
        start, run, action, attempt, token = line.split(" ")
        yield Effect(int(start), run, action, int(attempt), token)


def cycles(directory):
    """Each cycle of the monitor: in which start of the worker, and what it was told."""
    for line in whole_lines(directory / "cycles"):
        start, causes = line.split(" ", 1)
        yield int(start), json.loads(causes)


def topics_told(directory):
    """The topics that cycles were told of by name, and how many more there may be: a cycle names 64, and counts the rest."""
    causes = [causes for _, causes in cycles(directory)]
    return {topic["topic"] for told in causes for topic in told["topics"]}, sum(told["others"] for told in causes)

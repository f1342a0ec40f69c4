"""A secret that a command prints as JSON leaves the worker in no encoder's spelling."""

import json
import os
import random
import shutil
import subprocess

import pytest

from forgebus_client import Client
from loops import asynchronous
from worker import Worker

SEED = 43
EACH = 125
RUNS = 8
# A thousand secrets each.
BATCHES = 10 if os.environ.get("FORGE_FULL") == "1" else 1
ALPHABET = "abcXYZ019uUnrt\\/\"'&<>=+-_ éüß\x7f\x85\u2028\u2029\n\r\t\b\f中文😀𝄞"
CONFIGURATION = f"""
pipelines:
  speak:
    seeds:
{"".join(f"      s{n}: {{type: string, secret: true}}" + chr(10) for n in range(EACH))}
    outputs: [echoed, outputs.text]
    actions:
      - {{id: json, run: [cat, document]}}
      - {{id: text, run: [sh, -c, "cat corpus; cat corpus >&2"]}}
      - {{id: fail, requires: [], run: [sh, -c, "tail -n 1 corpus; exit 1"]}}
"""


def go(text):
    """As Go's `json.Marshal` writes it: its rules, because no Go is here."""
    text = json.dumps(text, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f")
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def javascript(texts):
    """As `JSON.stringify` writes them, in node if it is here."""
    if not shutil.which("node"):
        return [json.dumps(text, ensure_ascii=False)[1:-1] for text in texts]
    program = (
        "const texts = JSON.parse(require('fs').readFileSync(0));"
        "console.log(JSON.stringify(texts.map(text => JSON.stringify(text).slice(1, -1))))"
    )
    done = subprocess.run(["node", "-e", program], input=json.dumps(texts).encode(), stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def mixed(text, dice):
    """Each UTF-16 unit as itself or as an escape, as chance has it."""
    short = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", '"': '"', "\\": "\\", "/": "/"}
    spelt = ""
    for character in text:
        units = character.encode("utf-16-be")
        numbers = [units[place : place + 2].hex() for place in range(0, len(units), 2)]
        way = dice.randrange(4)
        if way < 2 and character >= " " and character not in '"\\':
            spelt += character
        elif way < 3 and character in short:
            spelt += "\\" + short[character]
        else:
            spelt += "".join("\\u" + (number.upper() if dice.random() < 0.5 else number) for number in numbers)
    return spelt


@pytest.mark.parametrize("batch", range(BATCHES))
@asynchronous
async def test_no_secret_is_seen(directory, batch):
    dice = random.Random(SEED + batch)
    all_secrets = ["".join(dice.choices(ALPHABET, k=dice.randint(8, 24))) for _ in range(RUNS * EACH)]
    written = dict(zip(all_secrets, javascript(all_secrets)))
    worker = Worker(directory, CONFIGURATION)
    seen, trials = [], 0
    try:
        async with Client(worker.endpoint) as client:
            for begin in range(0, len(all_secrets), EACH):
                secrets = all_secrets[begin : begin + EACH]
                spellings = [
                    [secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], go(secret)]
                    + [written[secret], mixed(secret, dice)]
                    for secret in secrets
                ]
                flat = [spelt for each in spellings for spelt in each]
                # The secret as it is is in no JSON text, and one of its lines may be anywhere.
                document = ",".join(f'"{spelt}"' for each in spellings for spelt in each[1:])
                (directory / "document").write_text(f'{{"echoed": [{document}]}}')
                (directory / "corpus").write_text("".join(f'"{spelt}"\n' for spelt in flat))
                result = await client.run("speak", {f"s{n}": secret for n, secret in enumerate(secrets)})
                printed = await client.show(f"output/{result['run']}")
                answers = [json.dumps(result, ensure_ascii=False), json.dumps(printed, ensure_ascii=False)]
                texts = [entry[key] for entry in printed["entries"] for key in ("output", "errors")]
                texts += [str(result["outputs"]), *answers, *(action.get("reason", "") for action in result["actions"])]
                told = "\n".join(texts)
                assert told.count("[secret]") > 6 * EACH, "the worker did tell what was printed"
                trials += len(flat)
                seen += [spelt for spelt in flat if spelt in told]
    finally:
        worker.stop()
    print(f"{len(all_secrets)} secrets, {trials} spellings, seed {SEED + batch}: {len(seen)} seen")
    assert not seen

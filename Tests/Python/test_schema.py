"""The JSON Schemas of the files, as a stock validator sees them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from worker import FORGEBUS as PROGRAM, ROOT

PAGES = ROOT / "Sources/ForgeBusConfiguration/ForgeBusConfiguration.docc"


@pytest.fixture(scope="module")
def schemas(tmp_path_factory):
    directory = tmp_path_factory.mktemp("schemas")
    for kind in ("worker", "access", "fleet"):
        text = subprocess.run([PROGRAM, "schema", kind], check=True, capture_output=True, text=True).stdout
        (directory / kind).write_text(text)
    return directory


def validate(schemas, kind, *files):
    command = [str(Path(sys.executable).parent / "check-jsonschema"), "--schemafile", str(schemas / kind)]
    return subprocess.run(command + [str(file) for file in files], capture_output=True, text=True)


def blocks(page):
    text = page.read_text()
    return [block for block in re.findall(r"```yaml\n(.*?)```", text, re.S)]


def sample(directory):
    """The file that `forgebus init` writes."""
    file = directory / "sample.yaml"
    subprocess.run([PROGRAM, "init", str(file)], check=True, capture_output=True)
    return file


def test_a_first_file_names_the_schema_beside_it_and_is_never_written_over(tmp_path):
    file = sample(tmp_path)
    [name] = re.findall(r"^# yaml-language-server: \$schema=(\S+)$", file.read_text().splitlines()[0])
    printed = subprocess.run([PROGRAM, "schema", "worker"], check=True, capture_output=True)
    assert (tmp_path / name).read_bytes() == printed.stdout
    assert subprocess.run([PROGRAM, "worker", "--check", "--config", str(file)], capture_output=True).returncode == 0
    file.write_text("pipelines: {}")
    (tmp_path / name).unlink()
    assert subprocess.run([PROGRAM, "init", str(file)], capture_output=True).returncode == 73
    assert file.read_text() == "pipelines: {}"
    assert not (tmp_path / name).exists()


def test_schemas_are_schemas(schemas):
    command = [str(Path(sys.executable).parent / "check-jsonschema"), "--check-metaschema"]
    done = subprocess.run(command + [str(schemas / kind) for kind in ("worker", "access", "fleet")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_example_of_the_repository_fits(schemas, tmp_path):
    files = {
        "worker": [ROOT / "examples/fleet/worker.yaml", ROOT / "deploy/kubernetes/etc/worker.yaml"],
        "access": [ROOT / "examples/fleet/access.yaml", ROOT / "deploy/kubernetes/etc/access.yaml"],
        "fleet": [ROOT / "examples/fleet/fleet.yaml"],
    }
    for kind, page in (("worker", "TheWorkerFile.md"), ("access", "TheAccessFile.md"), ("fleet", "TheFleetFile.md")):
        found = blocks(PAGES / page)
        assert found
        for number, block in enumerate(found):
            file = tmp_path / f"{kind}-{number}.yaml"
            file.write_text(block)
            # The page about access shows a part of a worker file, too.
            files["worker" if block.startswith(("worker:", "pipelines:")) else kind].append(file)
    files["worker"].append(sample(tmp_path))
    for kind, those in files.items():
        done = validate(schemas, kind, *those)
        assert done.returncode == 0, f"{kind}: {done.stdout}"


BAD = {
    "unknown key at the top": "pipeline: {}",
    "unknown key of a pipeline": "pipelines: {p: {slot: 4, actions: [{id: a, run: [x]}]}}",
    "no actions": "pipelines: {p: {slots: 4}}",
    "no id": "pipelines: {p: {actions: [{run: [x]}]}}",
    "an empty list": "pipelines: {p: {actions: []}}",
    "a number out of bounds": "pipelines: {p: {slots: 0, actions: [{id: a, run: [x]}]}}",
    "a number as a text": "pipelines: {p: {slots: '4', actions: [{id: a, run: [x]}]}}",
    "a time without a unit": "worker: {drain: 30}",
    "a time in milliseconds by its key": "worker: {drain_ms: 30000}",
    "a size without a unit": "worker: {limits: {seeds: 1024}}",
    "a size in a strange unit": "worker: {limits: {seeds: 5MB}}",
    "a word that is none": "pipelines: {p: {checkpoint: lax, actions: [{id: a, run: [x]}]}}",
    "a Boolean that is none": "worker: {replicated: maybe}",
    "a command as a text": "pipelines: {p: {actions: [{id: a, run: make all}]}}",
    "a gate as a text": "pipelines: {p: {actions: [{id: a, gate: p.approve}]}}",
    "a key of the gate beside it": "pipelines: {p: {actions: [{id: a, gate: {}, approvals: 2}]}}",
    "two kinds of action": "pipelines: {p: {actions: [{id: a, gate: {}, run: [x]}]}}",
    "no kind of action": "pipelines: {p: {actions: [{id: a}]}}",
    "a gate of a monitor": "monitors: {m: {topics: [t], actions: [{id: a, gate: {}}]}}",
    "half an escalation": "pipelines: {p: {actions: [{id: a, gate: {escalate: {after: 1h}}}]}}",
    "a mapping as a list": "pipelines: [p]",
    "a seed without a type": "pipelines: {p: {seeds: {v: {default: 1}}, actions: [{id: a, run: [x]}]}}",
    "half a debounce": "monitors: {m: {topics: [t], debounce: {quiet: 1s}, actions: [{id: a, run: [x]}]}}",
    "an event that is none": "on: {paused: p}",
    "a webhook without a secret": "webhooks: {w: {signature: github, topic: t}}",
}


@pytest.mark.parametrize("what", BAD)
def test_what_has_a_wrong_shape_is_refused(what, schemas, tmp_path):
    file = tmp_path / "worker.yaml"
    file.write_text(BAD[what] + "\n")
    assert validate(schemas, "worker", file).returncode == 1
    checked = subprocess.run([PROGRAM, "worker", "--check", "--config", str(file)], capture_output=True, text=True)
    assert checked.returncode != 0, "the worker must not take what the schema refuses"

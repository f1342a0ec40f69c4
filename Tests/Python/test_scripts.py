"""What the scripts in `deploy` do where something goes wrong."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize(("script", "unbuilt"), [("run", "forgebus"), ("bench", "forgebus-bench")])
def test_a_build_that_fails_ends_the_script_and_nothing_that_was_built_before_is_run(tmp_path, script, unbuilt):
    fails = f'case "$*" in *--show-bin-path*) dirname "$0" ;; *"--product {unbuilt}") exit 1 ;; esac'
    programs = {"swift": fails}
    programs |= {name: 'touch "$(dirname "$0")/was-run"' for name in ("forgebus", "forgebus-bench")}
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ended = subprocess.run([ROOT / "deploy" / script], env=environment, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1 and "== building" in ended.stdout + ended.stderr
    assert not (tmp_path / "was-run").exists()

"""The catalogues, built as DocC builds them: each link leads somewhere, each public symbol says what it is for."""

import json
import os
import pathlib
import platform
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(os.environ.get("FORGEBUS", ROOT / ".build/debug/forgebus")).parent
MODULES = sorted(catalogue.stem for catalogue in ROOT.glob("Sources/*/*.docc"))


def call(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=300)


def extract(module, folder):
    """The module's public symbols, as the compiler knows them."""
    maps = [
        *BUILD.glob("*.build/module.modulemap"),
        *ROOT.glob(".build/checkouts/*/Sources/*/module.modulemap"),
        *ROOT.glob(".build/checkouts/*/Sources/*/include/module.modulemap"),
    ]
    headers = [argument for path in ROOT.glob("Sources/C*") for argument in ("-I", path)]
    ended = call(
        "swift-symbolgraph-extract", "-module-name", module, "-I", BUILD / "Modules", *headers,
        *(argument for path in maps for argument in ("-Xcc", f"-fmodule-map-file={path}")),
        "-target", f"{platform.machine()}-unknown-linux-gnu", "-minimum-access-level", "public",
        "-skip-synthesized-members", "-output-dir", folder,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return json.loads((folder / f"{module}.symbols.json").read_text())["symbols"]


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.skipif(shutil.which("docc") is None, reason="this toolchain has no docc")
def test_builds_without_a_warning_and_leaves_no_symbol_unexplained(module, tmp_path):
    symbols = extract(module, tmp_path)
    assert len(symbols) > 10
    silent = [".".join(symbol["pathComponents"]) for symbol in symbols if not symbol.get("docComment")]
    assert silent == []
    ended = call(
        "docc", "convert", ROOT / f"Sources/{module}/{module}.docc", "--additional-symbol-graph-dir", tmp_path,
        "--fallback-display-name", module, "--fallback-bundle-identifier", f"forge.{module}",
        "--output-path", tmp_path / "archive",
    )  # fmt: skip
    lines = (ended.stdout + ended.stderr).splitlines()
    found = [" ".join(lines[at : at + 2]) for at, line in enumerate(lines) if line.startswith(("warning:", "error:"))]
    assert (ended.returncode, found) == (0, [])

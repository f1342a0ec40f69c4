"""DocC builds the documentation of every library: links lead somewhere, and every public symbol is explained."""

import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys

import pytest

from worker import FORGEBUS, ROOT

MODULES = re.findall(r'\.library\(name: "(\w+)"', (ROOT / "Package.swift").read_text("utf-8"))
BUILD = FORGEBUS.parent.resolve()
CHECKOUTS = BUILD.parents[1] / "checkouts"
BROKEN = ("Nothing", "Nowhere")


def missing():
    """Why the documentation cannot be built here; nothing if it can."""
    if sys.platform != "linux":
        return "the symbols are extracted for Linux only"
    absent = [tool for tool in ("docc", "swift-symbolgraph-extract") if shutil.which(tool) is None]
    return f"the documentation is not checked: no {' and no '.join(absent)} in PATH" if absent else None


pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))


def call(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=300)


def extract(module, folder):
    """Writes the module's public symbols, as the compiler knows them, into the folder, and returns them."""
    maps = [
        *BUILD.glob("*.build/module.modulemap"),
        *CHECKOUTS.glob("*/Sources/*/module.modulemap"),
        *CHECKOUTS.glob("*/Sources/*/include/module.modulemap"),
    ]
    headers = [argument for path in sorted(ROOT.glob("Sources/C*")) for argument in ("-I", path)]
    folder.mkdir()
    ended = call(
        "swift-symbolgraph-extract", "-module-name", module, "-I", BUILD / "Modules", *headers,
        *(argument for path in sorted(maps) for argument in ("-Xcc", f"-fmodule-map-file={path}")),
        "-target", f"{platform.machine()}-unknown-linux-gnu", "-minimum-access-level", "public",
        "-skip-synthesized-members", "-emit-extension-block-symbols", "-output-dir", folder,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    # What it adds to types of other modules is in files of its own; the extension itself needs no comment.
    graphs = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.symbols.json"))]
    symbols = [symbol for graph in graphs for symbol in graph["symbols"]]
    return [symbol for symbol in symbols if symbol["kind"]["identifier"] != "swift.extension"]


def unexplained(symbols):
    return [".".join(symbol["pathComponents"]) for symbol in symbols if not symbol.get("docComment")]


def warnings(catalogue, module, symbols, scratch):
    """What DocC finds wrong with a catalogue and the comments of its module's symbols."""
    report = scratch / "diagnostics.json"
    ended = call(
        "docc", "convert", catalogue, "--additional-symbol-graph-dir", symbols, "--fallback-display-name", module,
        "--fallback-bundle-identifier", f"forge.{module}", "--output-path", scratch / "archive",
        "--diagnostics-file", report,
    )  # fmt: skip
    assert report.exists(), ended.stderr
    found = sorted(describe(each) for each in json.loads(report.read_text("utf-8"))["diagnostics"])
    assert ended.returncode == 0 or found, ended.stderr
    return found


def describe(diagnostic):
    place = pathlib.Path(diagnostic.get("source", "?").removeprefix("file://"))
    line = diagnostic.get("range", {}).get("start", {}).get("line", 0)
    return f"{place.relative_to(ROOT) if place.is_relative_to(ROOT) else place}:{line}: {diagnostic['summary']}"


def test_the_package_has_libraries():
    assert len(MODULES) > 5


@pytest.mark.parametrize("module", MODULES)
def test_the_documentation_builds_without_a_warning_and_explains_every_public_symbol(module, tmp_path):
    symbols = extract(module, tmp_path / "symbols")
    assert len(symbols) > 10
    silent = unexplained(symbols)
    assert not silent, "\n".join(silent)
    catalogue = ROOT / f"Sources/{module}/{module}.docc"
    found = warnings(catalogue, module, tmp_path / "symbols", tmp_path)
    assert not found, "\n".join(found)


def test_a_link_that_leads_nowhere_and_a_symbol_without_a_comment_are_named(tmp_path):
    module = "ForgeBusSQLite"
    symbols = extract(module, tmp_path / "symbols")
    del symbols[0]["docComment"]
    assert unexplained(symbols) == [".".join(symbols[0]["pathComponents"])]
    catalogue = shutil.copytree(ROOT / f"Sources/{module}/{module}.docc", tmp_path / f"{module}.docc")
    (catalogue / "Broken.md").write_text(f"# Broken\n\nSee ``{BROKEN[0]}`` and <doc:{BROKEN[1]}>.\n", "utf-8")
    found = warnings(catalogue, module, tmp_path / "symbols", tmp_path)
    assert len(found) == 2 and all(f"{catalogue / 'Broken.md'}:3: '{name}'" in "\n".join(found) for name in BROKEN)

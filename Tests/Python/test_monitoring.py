"""The dashboard and the alerts: they fit the metrics of a real gateway, and the alerts fire when they should."""

import json
import os
import re
import shutil
import subprocess

import pytest
import yaml
from gateway import Browser, Gateway
from worker import FORGEBUS, PATIENCE, ROOT, Worker

PLACE = ROOT / "deploy" / "monitoring"
PAGE = (ROOT / "Sources/ForgeBusGateway/ForgeBusGateway.docc/Metrics.md").read_text("utf-8")
SECTION = PAGE.partition("## Dashboard and alerts\n")[2]
MADE = ("dashboard.json", "alerts.yaml")
OF_PROMETHEUS = {"up", "scrape_duration_seconds"}
YAML = """
monitors:
  stock: {topics: ["stock.>"], actions: [{id: look, run: ["true"]}]}
pipelines:
  greet: {actions: [{id: hello, run: ["true"]}]}
"""

needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None,
    reason="the alerts are not checked: no promtool in PATH (Debian's package prometheus has it)",
)


def call(*command, directory=None, text=None):
    return subprocess.run(command, cwd=directory, input=text, capture_output=True, text=True, timeout=PATIENCE)


class Served:
    """A worker, and a gateway that wants a token for its metrics."""

    def __init__(self, directory):
        self.worker = Worker(directory, YAML, arguments=["--name", "shop"])
        fleet = directory / "fleet.yaml"
        fleet.write_text(f"workers: {{shop: {{endpoint: '{self.worker.endpoint}'}}}}")
        self.gateway = Gateway(directory, self.worker.endpoint, ["--fleet", fleet])
        self.token = directory / "forgebus" / "http-token"
        self.text = ""
        # The gateway has just begun to ask its fleet.
        while "forgebus_fleet_oldest_evaluation_seconds{" not in self.text:
            reply = Browser(self.gateway.port, self.token.read_text().strip()).get("/metrics")
            assert reply.status == 200, reply
            self.text = reply.body.decode()

    def stop(self):
        self.gateway.stop()
        self.worker.stop()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("bus"))
    yield served
    served.stop()


@pytest.fixture
def copy(tmp_path, served):
    """A copy of the folder, as far from the root as the original, and the token file of the page's commands."""
    ignored = shutil.ignore_patterns("__pycache__")
    copy = shutil.copytree(PLACE, tmp_path / "deploy" / "monitoring", ignore=ignored)
    for place in (tmp_path, copy):
        shutil.copy(served.token, place / "forgebus-token")
    return copy


def alerts():
    groups = yaml.safe_load((PLACE / "alerts.yaml").read_text())["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def panels():
    return json.loads((PLACE / "dashboard.json").read_text())["panels"]


def shown():
    """The expressions of the dashboard."""
    return [target["expr"] for panel in panels() for target in panel.get("targets", [])]


def names_in(expression):
    """The metrics of an expression: its names that are no labels, functions or operators."""
    bare = re.sub(r'"[^"]*"', "", expression)
    bare = re.sub(r"\{[^}]*\}|\[[^]]*\]", "", bare)
    bare = re.sub(r"\b(by|without|on|ignoring) *\([^)]*\)", "", bare)
    return set(re.findall(r"\b[a-zA-Z_]\w*\b(?! *\()", bare)) - {"and", "or", "unless"}


def used():
    return set().union(*map(names_in, [*shown(), *(rule["expr"] for rule in alerts().values())]))


@needs_promtool
def test_promtool_finds_nothing_wrong_with_the_metrics(served):
    checked = call("promtool", "check", "metrics", text=served.text)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


@needs_promtool
def test_the_commands_of_the_page_make_the_files_that_are_here(served, copy):
    for made in MADE:
        (copy / made).unlink()
    (block,) = re.findall(r"```sh\n(deploy/.*?)```", SECTION, re.DOTALL)
    for line in block.replace("127.0.0.1:7780", f"127.0.0.1:{served.gateway.port}").splitlines():
        ended = call("sh", "-c", line, directory=copy.parents[1])
        assert ended.returncode == 0, (line, ended)
    for made in MADE:
        assert (copy / made).read_bytes() == (PLACE / made).read_bytes(), f"{made} is old: deploy/monitoring/generate"


def test_generate_reads_a_file_and_standard_input(served, copy, tmp_path):
    (tmp_path / "metrics").write_text(served.text)
    for source, text in ((tmp_path / "metrics", None), ("-", served.text)):
        for made in MADE:
            (copy / made).unlink()
        ended = call(copy / "generate", source, text=text)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert [(copy / made).read_bytes() for made in MADE] == [(PLACE / made).read_bytes() for made in MADE]


def test_generate_says_what_is_wrong_and_writes_nothing(served, copy):
    line = "# TYPE forgebus_nothing gauge\n"
    without = re.sub(r".*forgebus_requested_runs.*\n", "", served.text)
    for text, said in (
        (served.text + line, "Nothing uses forgebus_nothing: add it to a panel in dashboard.py, or to an alert in"),
        (without, "The text does not have forgebus_requested_runs: remove it from dashboard.py and alerts.py, or"),
        ("<html>", "The text has no line with # TYPE: pass the text of /metrics."),
    ):
        for made in MADE:
            (copy / made).unlink(missing_ok=True)
        ended = call(copy / "generate", "-", text=text)
        assert ended.returncode == 1 and ended.stderr.startswith(f"generate: {said}"), ended
        assert not any((copy / made).exists() for made in MADE)
    refused = call(copy / "generate", f"http://127.0.0.1:{served.gateway.port}/metrics")
    assert (refused.returncode, refused.stderr) == (1, "generate: HTTP Error 401: Unauthorized\n")


@needs_promtool
def test_promtool_accepts_the_rules_and_the_configuration(copy):
    for kind, file in (("rules", "alerts.yaml"), ("config", "prometheus.yml")):
        checked = call("promtool", "check", kind, "--lint=all", "--lint-fatal", file, directory=copy)
        assert checked.returncode == 0, checked


@needs_promtool
def test_promtool_can_read_each_expression_of_the_dashboard(tmp_path):
    expressions = [expression.replace("$__rate_interval", "5m") for expression in shown()]
    assert len(expressions) > 30
    rules = [{"record": f"shown:{index}", "expr": expression} for index, expression in enumerate(expressions)]
    (tmp_path / "shown.yaml").write_text(json.dumps({"groups": [{"name": "shown", "rules": rules}]}))
    checked = call("promtool", "check", "rules", tmp_path / "shown.yaml")
    assert checked.returncode == 0, checked


def test_the_dashboard_and_the_alerts_use_all_metrics_of_the_page_and_no_others(served):
    metrics = set(re.findall(r"^\| `(forgebus_\w+)` \|", PAGE, re.MULTILINE))
    assert metrics == set(re.findall(r"^# TYPE (\w+) ", served.text, re.MULTILINE))
    assert used() - OF_PROMETHEUS == metrics


def test_the_metrics_of_an_expression_are_found_by_their_whole_names():
    expression = 'sum by (job) (rate(a_total{b="c_total"}[5m])) / on (d) a and absent(e{f!="g"})'
    assert names_in(expression) == {"a_total", "a", "e"}


def test_the_labels_in_expressions_and_legends_are_those_of_the_metrics(served):
    labels = dict(re.findall(r"^(\w+)\{(\w+)=", served.text, re.MULTILINE))
    known = {"job", "instance", *labels.values()}
    expressions = [*shown(), *(rule["expr"] for rule in alerts().values())]
    matchers = [label for text in expressions for label in re.findall(r"(\w+)(?:=|!=|!~|=~)\"", text)]
    written = [text for rule in alerts().values() for text in rule["annotations"].values()]
    written += [target["legendFormat"] for panel in panels() for target in panel.get("targets", [])]
    templates = [label for text in written for label in re.findall(r"\{\{ ?(?:\$labels\.)?(\w+) ?\}\}", text)]
    assert matchers and templates and {*matchers, *templates} <= known
    text = "".join(written)
    assert text.count("{{") - text.count("{{ $value }}") == len(templates)


def test_the_panels_have_different_numbers_and_do_not_overlap():
    taken = set()
    for panel in panels():
        x, y, w, h = (panel["gridPos"][key] for key in "xywh")
        cells = {(column, row) for column in range(x, x + w) for row in range(y, y + h)}
        assert x + w <= 24 and not cells & taken, panel["title"]
        taken |= cells
    numbers = [panel["id"] for panel in panels()]
    assert len(set(numbers)) == len(numbers)


def test_the_variables_of_the_dashboard_are_those_that_it_uses():
    text = (PLACE / "dashboard.json").read_text()
    declared = {variable["name"] for variable in json.loads(text)["templating"]["list"]}
    assert set(re.findall(r"\$\{?(\w+)", text)) == declared | {"__rate_interval"}


@needs_promtool
def test_the_alerts_fire_when_they_should_and_only_then(copy):
    tested = call("promtool", "test", "rules", "alerts_test.yaml", directory=copy)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert set(re.findall(r'alertname="(\w+)"', (PLACE / "alerts_test.yaml").read_text())) == alerts().keys()


def test_each_alert_says_how_urgent_it_is_and_what_to_do():
    for name, rule in alerts().items():
        assert rule["labels"]["severity"] in ("critical", "warning"), name
        assert re.fullmatch(r"\d+[mh]", rule["for"]), name
        assert rule["annotations"]["summary"].endswith(".") and len(rule["annotations"]["description"]) > 80, name


def test_the_page_lists_the_alerts():
    rows = re.findall(r"^\| `(ForgeBus\w+)` \| [^|]+ \| (\w+) \| [^|]+ \|$", SECTION, re.MULTILINE)
    assert rows == [(name, rule["labels"]["severity"]) for name, rule in alerts().items()]


def test_the_commands_that_alerts_and_page_name_exist(served):
    texts = [SECTION, *(rule["annotations"]["description"] for rule in alerts().values())]
    commands = {command for text in texts for command in re.findall(r"`forgebus ([^`]+)`", text)}
    assert len(commands) > 12
    environment = {**os.environ, "FORGEBUS_ENDPOINT": served.worker.endpoint}
    wrong_usage = 64
    for command in sorted(commands):
        ended = subprocess.run(
            [FORGEBUS, *command.split()], env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
        assert ended.returncode != wrong_usage, (command, ended)

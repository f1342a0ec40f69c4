"""The page of a fleet in a real browser: who of twenty violates a policy and why, and how they converge."""

import os
import pathlib

import pytest
from gateway import Browser, Gateway
from test_console import CONTRAST, Tab, chromium  # noqa: F401
from worker import Worker

SCREENSHOTS = pathlib.Path(os.environ.get("FORGE_SCREENSHOTS", ""))
NAMES = [f"node-{number:02}" for number in range(1, 21)]
VIOLATING = ["node-03", "node-11", "node-17"]
YAML = """
worker: {name: NAME}
monitors:
  password-age:
    topics: ["policy.>"]
    actions:
      - id: check
        run: ["sh", "-c", "[ $(cat PLACE/age) -le $(cat PLACE/../policy) ] || { echo age $(cat PLACE/age) exceeds the policy >&2; exit 1; }"]
"""


class Fleet:
    """Twenty workers, three of which violate the policy, and a gateway for them alone."""

    def __init__(self, directory):
        self.directory = directory
        (directory / "policy").write_text("70")
        self.workers, lines = {}, []
        for number, name in enumerate(NAMES):
            place = directory / name
            place.mkdir()
            self.age(name, 80 if name in VIOLATING else 30)
            self.workers[name] = Worker(place, YAML.replace("NAME", name).replace("PLACE", str(place)), store="memory")
            role = "db" if number % 4 == 2 else "web"
            lines.append(f"  {name}: {{endpoint: 'ipc://{place}/worker.ipc', labels: {{role: {role}}}}}")
        (directory / "fleet.yaml").write_text("workers:\n" + "\n".join(lines) + "\n")
        self.gateway = Gateway(directory, None, ["--fleet", directory / "fleet.yaml"])
        self.token = (directory / "forgebus" / "http-token").read_text().strip()
        self.browser = Browser(self.gateway.port, self.token)

    def age(self, name, age):
        (self.directory / name / "age").write_text(str(age))

    def violate(self):
        """Three violate, and everybody has evaluated that."""
        for name in NAMES:
            self.age(name, 80 if name in VIOLATING else 30)
        # A machine that is busy with twenty starts may leave some of them silent at first.
        while self.browser.post("/v1/fleet/topics/policy.age", Prefer="wait=60").json["counts"] != {"failed": 3, "converged": 17}:
            pass

    def tab(self, chromium, path, **options):  # noqa: F811
        """A tab that is logged in."""
        tab = Tab(chromium, self.gateway.port, **options)
        page = tab.open(path)
        page.get_by_label("Token").fill(self.token)
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("heading", name="Fleet").wait_for()
        return tab

    def stop(self):
        self.gateway.stop()
        for worker in self.workers.values():
            worker.kill()


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    fleet = Fleet(tmp_path_factory.mktemp("bus"))
    yield fleet
    fleet.stop()


def rows(page):
    return [row.inner_text() for row in page.locator("tbody tr").all()]


def test_who_violates_is_first_with_the_reason_and_evaluate_everywhere_converges_by_mouse(fleet, chromium):  # noqa: F811
    fleet.violate()
    tab = fleet.tab(chromium, "/")
    page = tab.page
    page.get_by_text("3 failed").wait_for()
    first = rows(page)[:3]
    assert [name for name in VIOLATING if any(name in row for row in first)] == VIOLATING
    assert all("age 80 exceeds the policy" in row and "password-age" in row for row in first)
    page.get_by_label("Workers").select_option("role=db")
    page.get_by_role("button", name="Show").click()
    page.get_by_text("5 workers in this view").wait_for()
    page.get_by_role("link", name="Fleet").click()
    for name in VIOLATING:
        fleet.age(name, 30)
    page.get_by_label("Topic that changed").select_option("policy.all")
    page.get_by_role("button", name="Evaluate everywhere").click()
    page.get_by_text("All workers that answer have got the notification.").wait_for()
    # A worker that was too busy to answer is asked again a minute later.
    page.get_by_text("20 converged").wait_for(timeout=240_000)
    tab.close()


def test_it_works_on_a_phone_without_javascript_by_keyboard(fleet, chromium):  # noqa: F811
    fleet.violate()
    tab = fleet.tab(chromium, "/fleet", viewport={"width": 380, "height": 700}, java_script_enabled=False)
    page = tab.page
    assert "node-03" in rows(page)[0] and "age 80 exceeds the policy" in rows(page)[0]
    for name in VIOLATING:
        fleet.age(name, 30)
    page.get_by_role("button", name="Evaluate everywhere").focus()
    page.keyboard.press("Enter")
    page.get_by_text("All workers that answer have got the notification.").wait_for()
    while not page.get_by_text("20 converged").is_visible():
        page.reload()
    tab.close()


def test_the_page_tells_by_itself_that_a_worker_is_silent_and_that_it_is_back(fleet, chromium):  # noqa: F811
    tab = fleet.tab(chromium, "/fleet")
    page = tab.page
    page.locator("html[data-live]").wait_for(state="attached")
    fleet.workers["node-07"].kill()
    try:
        # A page that is drawn anew before the third ping says that the worker was not reached.
        page.get_by_text("has not answered 3 pings").wait_for(timeout=120_000)
        assert page.get_by_text("1 silent").is_visible()
        assert any("node-07" in row and "has not answered 3 pings" in row for row in rows(page))
    finally:
        fleet.workers["node-07"].start()
    page.get_by_text("1 silent").wait_for(state="detached")
    tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 380])
def test_the_page_can_be_read(fleet, chromium, scheme, width):  # noqa: F811
    fleet.violate()
    tab = fleet.tab(chromium, "/fleet", viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = tab.page
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if str(SCREENSHOTS) != ".":
        page.screenshot(path=SCREENSHOTS / f"fleet-{scheme}-{width}.png", full_page=True)
    tab.close()


def test_a_gateway_of_a_fleet_alone_says_that_there_is_no_single_worker(fleet):
    assert fleet.browser.get("/readyz").status == 200
    reply = fleet.browser.get("/v1/worker")
    assert (reply.status, reply.json["code"]) == (404, "unknown_path")
    paths = fleet.browser.get("/v1/openapi.json").json["paths"]
    assert "/v1/fleet/monitors" in paths
    metrics = fleet.browser.get("/metrics").body.decode()
    assert 'forgebus_fleet_workers{state="here"} 20' in metrics and "forgebus_worker_ready" not in metrics
    assert "node-" not in metrics

"""The console in a real browser: decisions by mouse, by keyboard, on a phone and without JavaScript; live pages; logging in."""

import json
import os
import pathlib
import re
import signal
import subprocess

import pytest
from gateway import Browser, Gateway, served_port
from test_gateway import GatedWorker
from worker import FORGEBUS, ROOT, Worker

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = "/usr/bin/chromium"
SCREENSHOTS = pathlib.Path(os.environ.get("FORGE_SCREENSHOTS", ""))

YAML = """
worker: {name: shop}
monitors:
  stock:
    topics: ["stock.>"]
    actions: [{id: look, run: ["true"]}]
  disk:
    topics: [disk.changed]
    actions: [{id: check, run: ["sh", "-c", "echo no space >&2; exit 9"]}]
pipelines:
  deploy:
    title: "Deploy {seed.version} {seed.note}"
    seeds: {version: {type: string, required: true}, note: {type: string, default: ""}}
    actions:
      - {id: test, run: ["echo", "132 passed"]}
      - id: approve
        gate:
          signal: "deploy.{seed.version}.approve"
          message: "Deploy {seed.version}? {seed.note}"
          value: {ticket: {type: string, required: true}, size: {type: integer}}
      - {id: roll-out, run: ["echo", "<b>rolled out</b>"]}
  broken:
    actions: [{id: push, run: ["sh", "-c", "echo no route to host >&2; exit 1"], on_failure: park}]
"""
RELEASE = """
  release:
    seeds: {version: {type: string, required: true}}
    actions:
      - {id: approve, gate: {signal: "release.{seed.version}.approve", approvals: 2, message: "Release {seed.version}?"}}
"""


@pytest.fixture(scope="module")
def chromium():
    if not os.path.exists(CHROMIUM):
        pytest.skip(f"{CHROMIUM} is not there")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def hosted(directory):
    worker = Worker(directory, YAML, arguments=["--listen", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0"])
    yield Browser(served_port(worker.said, lambda: worker.process.poll() is None))
    worker.kill()


class Tab:
    """A page of a browser, with all that went wrong in it."""

    def __init__(self, chromium, port, **options):
        self.context = chromium.new_context(base_url=f"http://localhost:{port}", **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.wrong = []
        self.page.on("console", lambda message: message.type in ("error", "warning") and self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.wrong.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: request.url.startswith(f"http://localhost:{port}/") or self.wrong.append(request.url))

    def open(self, path):
        self.page.goto(path)
        return self.page

    def close(self):
        self.context.close()
        assert self.wrong == []


def waiting(hosted, pipeline="deploy", **seeds):
    """A new run that waits at its gate; the gate's id."""
    run = hosted.post(f"/v1/pipelines/{pipeline}/runs", seeds).json["run"]
    shown = hosted.wait(f"/v1/runs/{run}", state="waiting")
    return run, shown["waits"][0]["signal"]


def test_a_gate_is_approved_by_mouse_with_the_values_that_it_expects(hosted, chromium):
    run, gate = waiting(hosted, version="42")
    tab = Tab(chromium, hosted.port)
    page = tab.open("/")
    assert page.get_by_role("link", name="Waiting 1").is_visible()
    card = page.get_by_role("article", name="Deploy 42?")
    card.get_by_label("ticket").fill("OPS-7")
    card.get_by_label("size").fill("3")
    card.get_by_label("Reason").fill("tests passed")
    card.get_by_role("button", name="Approve").click()
    page.get_by_text("Decided: your decision has reached").wait_for()
    assert page.get_by_role("heading", name="Nothing waits for your decision").is_visible()
    hosted.wait(f"/v1/runs/{run}", state="completed")
    (decided,) = [entry for entry in hosted.get(f"/v1/history/{run}").json["entries"] if entry["event"] == "decided"]
    assert decided["value"] == {"ticket": "OPS-7", "size": 3, "because": "tests passed"}
    tab.close()


def test_a_gate_is_rejected_by_keyboard_alone(hosted, chromium):
    run, gate = waiting(hosted, version="42")
    tab = Tab(chromium, hosted.port)
    page = tab.open("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "because":
            page.keyboard.type("not on a Friday")
        if page.evaluate("document.activeElement.textContent") == "Reject":
            break
    page.keyboard.press("Enter")
    page.get_by_text("Decided: your decision has reached").wait_for()
    shown = hosted.get(f"/v1/gates/{gate}").json
    assert (shown["state"], shown["reason"]) == ("rejected", "not on a Friday")
    tab.close()


def test_a_gate_is_approved_on_a_phone_without_scrolling_sideways(hosted, chromium):
    run, gate = waiting(hosted, version="42", note="a-very-long-word-" * 12)
    tab = Tab(chromium, hosted.port, viewport={"width": 380, "height": 700}, has_touch=True)
    for path in ("/", "/runs", f"/runs/{run}", "/monitors", "/attention", "/pipelines", f"/gates/{gate}"):
        page = tab.open(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 380, path
    page = tab.open("/")
    page.get_by_label("ticket").fill("OPS-7")
    button = page.get_by_role("button", name="Approve")
    assert button.bounding_box()["height"] >= 44
    button.tap()
    page.get_by_text("Decided: your decision has reached").wait_for()
    hosted.wait(f"/v1/runs/{run}", state="completed")
    tab.close()


def test_a_run_that_ended_meanwhile_is_not_said_to_be_cancelled(hosted, chromium):
    run = hosted.post("/v1/pipelines/deploy/runs", {"version": "8"}).json["run"]
    hosted.wait(f"/v1/runs/{run}", state="waiting")
    # Without JavaScript the page goes on showing the run as it was.
    tab = Tab(chromium, hosted.port, java_script_enabled=False)
    page = tab.open(f"/runs/{run}")
    assert hosted.post("/v1/gates/deploy.8.approve/approve", {"value": {"ticket": "OPS-8"}}).status == 200
    hosted.wait(f"/v1/runs/{run}", state="completed")
    page.get_by_role("button", name="Cancel this run").click()
    page.get_by_text("The run had ended before, so it was not cancelled.").wait_for()
    assert hosted.get(f"/v1/runs/{run}").json["state"] == "completed"
    tab.close()


def test_everything_works_without_javascript(hosted, chromium):
    tab = Tab(chromium, hosted.port, java_script_enabled=False)
    page = tab.open("/pipelines")
    card = page.get_by_role("article", name="deploy")
    card.get_by_label("version").fill("7")
    card.get_by_role("button", name="Run deploy").click()
    page.get_by_text("The worker has accepted the run").wait_for()
    run = page.url.split("/")[-1].partition("?")[0]
    hosted.wait(f"/v1/runs/{run}", state="waiting")
    page = tab.open("/")
    page.get_by_label("ticket").fill("OPS-7")
    page.get_by_role("button", name="Approve").click()
    page.get_by_text("Decided: your decision has reached").wait_for()
    hosted.wait(f"/v1/runs/{run}", state="completed")
    page = tab.open(f"/runs/{run}")
    page.get_by_role("heading", name="Questions and decisions").wait_for()
    page.get_by_role("heading", name="Seeds").wait_for()
    parked = hosted.post("/v1/pipelines/broken/runs").json["run"]
    hosted.wait(f"/v1/runs/{parked}", state="parked")
    page = tab.open("/attention")
    page.get_by_label(f"Choose {parked}").check()
    page.get_by_role("button", name="Cancel them").click()
    page.get_by_text("accepted the change of each chosen run").wait_for()
    assert hosted.get(f"/v1/runs/{parked}").json["state"] == "cancelled"
    page = tab.open("/monitors")
    before = hosted.get("/v1/monitors/stock").json["cycles"]
    page.get_by_role("row", name=re.compile("^stock")).get_by_role("button", name="Notify stock.console").click()
    page.get_by_text("accepted the notification").wait_for()
    while hosted.get("/v1/monitors/stock").json["cycles"] == before:
        pass
    tab.close()


def test_a_page_shows_what_happens_without_being_loaded_again(hosted, chromium):
    run, gate = waiting(hosted, version="42")
    follower, waiter = Tab(chromium, hosted.port), Tab(chromium, hosted.port)
    page, other = follower.open(f"/runs/{run}"), waiter.open("/")
    for shown in (page, other):
        shown.locator("html[data-live]").wait_for(state="attached")
        shown.evaluate("window.isSame = true")
    assert page.get_by_role("heading", level=1, name="Deploy 42").is_visible()
    assert other.get_by_role("article").get_by_role("link", name="Deploy 42", exact=True).is_visible()
    hosted.post(f"/v1/gates/{gate}/approve", {"value": {"ticket": "OPS-7"}})
    page.locator("main .badge", has_text="completed").first.wait_for()
    other.get_by_role("heading", name="Nothing waits for your decision").wait_for()
    assert page.evaluate("window.isSame") and other.evaluate("window.isSame")
    follower.close()
    waiter.close()


def test_a_page_does_not_change_under_the_hands_of_its_user(hosted, chromium):
    waiting(hosted, version="1")
    tab = Tab(chromium, hosted.port)
    page = tab.open("/")
    page.locator("html[data-live]").wait_for(state="attached")
    page.get_by_label("Reason").fill("half a sen")
    waiting(hosted, version="2")
    page.wait_for_timeout(1500)
    assert page.get_by_label("Reason").input_value() == "half a sen"
    assert page.get_by_role("article").count() == 1
    page.get_by_label("Reason").fill("")
    page.get_by_role("heading", name="Waiting for you").click()
    page.get_by_role("article").nth(1).wait_for()
    tab.close()


def test_two_tabs_decide_and_the_second_is_told_what_stands(hosted, chromium):
    _, gate = waiting(hosted, version="42")
    first, second = Tab(chromium, hosted.port, java_script_enabled=False), Tab(chromium, hosted.port, java_script_enabled=False)
    for tab in (first, second):
        tab.open(f"/gates/{gate}").get_by_label("ticket").fill("OPS-7")
    first.page.get_by_role("button", name="Approve").click()
    first.page.get_by_text("Decided: your decision has reached").wait_for()
    second.page.get_by_role("button", name="Reject").click()
    alert = second.page.get_by_role("alert")
    assert 'The principal "local" has already approved' in alert.inner_text()
    assert second.page.get_by_text("approved by local").is_visible()
    second.wrong.clear()  # the status 409 is an error in the browser's own log
    first.close()
    second.close()


def test_nothing_that_is_shown_can_become_a_script(hosted, chromium):
    # A browser reads code points: an accent or a sign before it takes nothing from a "<".
    markup = "<img src=x onerror=alert(1)><script>alert(2)</script>\u0600<b>\u0600</b>\"\u0301\u0600>"
    run, gate = waiting(hosted, version="42", note=markup)
    hosted.post(f"/v1/gates/{gate}/approve", {"value": {"ticket": markup, "because": markup}})
    hosted.wait(f"/v1/runs/{run}", state="completed")
    other, _ = waiting(hosted, version="43", note=markup)
    tab = Tab(chromium, hosted.port)
    for path in ("/", f"/runs/{run}", f"/runs/{other}", f"/gates/{gate}", "/runs", "/runs?pipeline=%3Cscript%3E", "/?done=%3Cscript%3E"):
        page = tab.open(path)
        assert page.locator("img, main script, main b").count() == 0, path
    assert "<b>rolled out</b>" in tab.open(f"/runs/{run}").locator("main").inner_text()
    tab.wrong[:] = [text for text in tab.wrong if "400" not in text]
    tab.close()


CONTRAST = """() => {
  const channel = (value) => { value /= 255; return value <= .03928 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4; };
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
  const ground = (element) => { for (; element; element = element.parentElement) { const colour = rgb(getComputedStyle(element).backgroundColor); if (colour[3] === 255) return colour; } return [255, 255, 255, 255]; };
  const flaws = [];
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest("svg, .hidden, .skip")) continue;
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
    const [a, b] = [light(rgb(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) flaws.push(`${element.outerHTML.slice(0, 80)} ${ratio.toFixed(2)}`);
  }
  for (const field of document.querySelectorAll("input:not([type=hidden]), select, textarea"))
    if (!field.labels?.length && !field.ariaLabel) flaws.push(`no label: ${field.outerHTML.slice(0, 80)}`);
  for (const name of document.querySelectorAll("button, a")) if (!name.textContent.trim()) flaws.push(`no name: ${name.outerHTML}`);
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) flaws.push("an id occurs twice: " + ids);
  if (document.querySelectorAll("h1").length !== 1 && !document.querySelector("[role=alert]")) flaws.push("not one h1");
  return flaws;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 380])
def test_every_page_can_be_read(hosted, chromium, scheme, width):
    run, gate = waiting(hosted, version="42")
    done, other = waiting(hosted, version="41")
    hosted.post(f"/v1/gates/{other}/approve", {"value": {"ticket": "OPS-1"}})
    hosted.wait(f"/v1/runs/{done}", state="completed")
    parked = hosted.post("/v1/pipelines/broken/runs").json["run"]
    hosted.wait(f"/v1/runs/{parked}", state="parked")
    tab = Tab(chromium, hosted.port, viewport={"width": width, "height": 800}, color_scheme=scheme)
    paths = {"waiting": "/", "runs": "/runs", "run": f"/runs/{done}", "parked": f"/runs/{parked}", "gate": f"/gates/{gate}",
             "decided": f"/gates/{other}", "attention": "/attention", "monitors": "/monitors", "start": "/pipelines"}
    for name, path in paths.items():
        page = tab.open(path)
        assert page.evaluate(CONTRAST) == [], name
        if str(SCREENSHOTS) != ".":
            page.screenshot(path=SCREENSHOTS / f"{name}-{scheme}-{width}.png", full_page=True)
    tab.close()


def test_a_link_lets_a_browser_in_once_and_its_session_ends_with_the_gateway(directory, chromium):
    worker = Worker(directory, YAML)
    gateway = Gateway(directory, worker.endpoint)
    token = (directory / "forgebus" / "http-token").read_text().strip()
    tab = Tab(chromium, gateway.port)
    page = tab.open("/runs?state=parked")
    assert page.url.endswith("/login?next=%2Fruns%3Fstate%3Dparked")
    page.get_by_label("Token").fill("fbt_wrong")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("alert").wait_for()
    page.get_by_label("Token").fill(f" {token} ")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Log out").wait_for()
    (cookie,) = tab.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")
    gateway.kill()
    gateway.start()
    tab.open("/runs")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Log in").click()
    assert page.get_by_role("heading", name="Runs", exact=True).is_visible()
    page.get_by_role("button", name="Log out").click()
    page.get_by_label("Token").wait_for()
    assert tab.context.cookies() == []
    tab.wrong.clear()  # the status 401 is an error in the browser's own log
    tab.close()
    gateway.stop()
    worker.stop()


def test_two_people_complete_a_quorum(directory, chromium):
    worker = GatedWorker(directory, YAML + RELEASE)
    worker.tokens["ben"] = worker.token("ben")
    worker.write_access()
    gateway = worker.gateway(directory)
    ada = Browser(gateway.port, worker.tokens["ada"][0])
    run = ada.post("/v1/pipelines/release/runs", {"version": "9"}).json["run"]
    ada.wait(f"/v1/runs/{run}", state="waiting")
    tabs = {}
    for name in ("ada", "ben"):
        tabs[name] = Tab(chromium, gateway.port)
        page = tabs[name].open("/login")
        page.get_by_label("Token").fill(worker.tokens[name][0])
        page.get_by_role("button", name="Log in").click()
        page.get_by_text("0 of 2 approvals").wait_for()
        page.locator("html[data-live]").wait_for(state="attached")
    tabs["ada"].page.get_by_role("button", name="Approve").click()
    tabs["ada"].page.get_by_text("Your vote counts").wait_for()
    # The other page hears of it without being loaded again.
    tabs["ben"].page.get_by_text("ada approved").wait_for()
    tabs["ben"].page.get_by_role("button", name="Approve").click()
    tabs["ben"].page.get_by_text("Decided: your decision has reached").wait_for()
    ada.wait(f"/v1/runs/{run}", state="completed")
    for tab in tabs.values():
        tab.close()
    gateway.stop()
    worker.stop()


def test_one_command_shows_a_gate_that_waits(directory, chromium):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("FORGEBUS")}
    environment |= {"XDG_RUNTIME_DIR": str(directory), "XDG_STATE_HOME": str(directory)}
    process = subprocess.Popen(
        [FORGEBUS, "dev", "--http", "127.0.0.1:0"],
        cwd=directory,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout.readline() == 'Wrote the sample "forgebus.yaml".\n'
        port, link = re.search(r"http://127\.0\.0\.1:(\d+)(/login\?code=\w+) ", process.stdout.readline()).groups()
        curl = process.stdout.readline()
        tab = Tab(chromium, int(port))
        page = tab.open(link)
        card = page.get_by_role("article", name="Deploy 1.0 to production? Tests: 132 passed")
        card.get_by_label("ticket").fill("OPS-7")
        card.get_by_role("button", name="Approve").click()
        page.get_by_text("Decided: your decision has reached").wait_for()
        assert "used already" in tab.open(link).get_by_role("alert").inner_text()
        tab.wrong.clear()  # the status 401 is an error in the browser's own log
        tab.close()
        call = curl.removeprefix("For programs: ").strip()
        ended = subprocess.run(["sh", "-c", f"{call} --fail --silent"], capture_output=True, timeout=60)
        assert json.loads(ended.stdout)["worker"] == "dev"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    assert process.returncode == 0


def test_the_picture_in_the_readme_shows_what_the_readme_defines(directory, chromium):
    """With FORGE_SCREENSHOTS, it writes the picture there."""
    yaml = re.search(r"```yaml\n(pipelines:.*?)```", (ROOT / "README.md").read_text(), re.S)[1]
    worker = Worker(directory, yaml, arguments=["--listen", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0", "--name", "shop"])
    hosted = Browser(served_port(worker.said, lambda: worker.process.poll() is None))
    for version in ("1.4.0", "1.4.1"):
        waiting(hosted, version=version)
    tab = Tab(chromium, hosted.port, viewport={"width": 1040, "height": 500})
    page = tab.open("/")
    for version in ("1.4.0", "1.4.1"):
        card = page.get_by_role("article", name=f"Deploy {version} to production? Tests: 132 passed")
        assert card.get_by_role("button", name="Approve").is_visible()
    if os.environ.get("FORGE_SCREENSHOTS"):
        page.screenshot(path=SCREENSHOTS / "console.png")
    tab.close()
    worker.kill()

"""A worker over HTTP: every path, who may use it, what comes twice, and what remains after a kill."""

import http.client
import json
import os
import re
import signal
import stat
import subprocess
import threading
import time

import pytest
from gateway import Browser, Gateway, served_port
from peer import KeyedWorker
from worker import FORGEBUS, PATIENCE, ROOT, Worker

YAML = """
monitors:
  stock:
    topics: ["stock.>"]
    actions: [{id: look, run: ["sh", "-c", "cat > %(directory)s/hint"]}]
pipelines:
  greet:
    seeds: {name: {type: string, default: World}}
    actions:
      - {id: hello, run: ["python3", "-c", "import json, sys; print('Hello', json.load(sys.stdin)['name'])"]}
  fail:
    actions: [{id: break, run: ["false"]}]
  deploy:
    seeds: {version: {type: string}}
    actions:
      - {id: approve, gate: {signal: "deploy.{seed.version}.approve"}}
      - {id: push, run: ["true"]}
  count:
    seeds: {file: {type: string}}
    actions: [{id: mark, run: ["python3", "-c", "import json, sys; open(json.load(sys.stdin)['file'], 'a').write('x')"]}]
"""


class HostingWorker(Worker):
    """A worker that serves HTTP itself, at a loopback port like its own, so that no token is needed."""

    def __init__(self, directory, **options):
        super().__init__(directory, YAML % {"directory": directory}, arguments=["--http", "127.0.0.1:0"], **options)

    def start(self):
        self.arguments[self.arguments.index("--listen") + 1] = "tcp://127.0.0.1:*"
        super().start()
        self.port = served_port(self.said, lambda: self.process.poll() is None)


@pytest.fixture
def hosted(directory):
    worker = HostingWorker(directory)
    yield Browser(worker.port)
    worker.stop()


def test_a_notification_reaches_the_monitor(hosted, directory):
    accepted = hosted.post("/v1/topics/stock.apples", b"three left", Content_Type="text/plain")
    assert (accepted.status, accepted.json["monitors"]) == (202, 1)
    assert accepted.headers["Idempotency-Key"]
    event = {"specversion": "1.0", "id": "1", "source": "/shop", "type": "sold", "data": {"left": 2}}
    evaluated = hosted.post(
        "/v1/topics/stock.apples", event, Content_Type="application/cloudevents+json", Prefer="wait=60"
    )
    assert evaluated.status == 200, evaluated
    assert [(cycle["monitor"], cycle["state"]) for cycle in evaluated.json["monitors"]] == [("stock", "ran")]
    assert evaluated.headers["Preference-Applied"] == "wait=60"
    (hint,) = json.loads((directory / "hint").read_text())["topics"]
    assert (hint["topic"], json.loads(hint["body"])) == ("stock.apples", {"left": 2})
    assert hosted.post("/v1/topics/unheard").json["monitors"] == 0


def test_a_run_is_accepted_and_waited_for(hosted):
    accepted = hosted.post("/v1/pipelines/greet/runs", {"name": "Ada"}, Idempotency_Key='"greet-1"')
    assert accepted.status == 202, accepted
    run = accepted.json["run"]
    assert accepted.headers["Location"] == f"/v1/runs/{run}"
    assert accepted.headers["Idempotency-Key"] == "greet-1"
    again = hosted.post("/v1/pipelines/greet/runs", {"name": "Ada"}, Idempotency_Key="greet-1", Prefer="wait=60")
    assert (again.status, again.json["run"], again.json["state"]) == (200, run, "completed"), again
    shown = hosted.get(f"/v1/runs/{run}").json
    assert (shown["seeds"], shown.get("outputs")) == ({"name": "Ada"}, again.json.get("outputs") or None)
    other = hosted.post("/v1/pipelines/greet/runs", {"name": "Bob"}, Idempotency_Key="greet-1")
    assert (other.status, other.json["code"]) == (422, "id_conflict")
    failed = hosted.post("/v1/pipelines/fail/runs", Prefer="respond-async, wait=60")
    assert (failed.status, failed.json["state"]) == (200, "failed")
    assert hosted.get(f"/v1/runs/{failed.json['run']}", Prefer="wait=60").json["state"] == "failed"
    output = hosted.get(f"/v1/runs/{run}/output?action=hello").json
    assert [entry["output"] for entry in output["entries"]] == ["Hello Ada\n"]


def test_a_gate_is_decided(hosted):
    run = hosted.post("/v1/pipelines/deploy/runs", {"version": "42"}).json["run"]
    hosted.wait(f"/v1/runs/{run}", state="waiting")
    gates = hosted.get("/v1/gates?pipeline=deploy").json["items"]
    assert [gate["signal"] for gate in gates] == ["deploy.42.approve"]
    assert hosted.get("/v1/gates/deploy.42.approve").json["run"] == run
    approved = hosted.post("/v1/gates/deploy.42.approve/approve", {"value": {"because": "tested"}})
    assert (approved.status, approved.json["verdict"]) == (200, "delivered"), approved
    rejected = hosted.post("/v1/gates/deploy.42.approve/reject", {"reason": "too late"})
    assert (rejected.status, rejected.json["code"]) == (409, "decision_conflict")
    assert rejected.json["by"] == "local"
    unknown = hosted.post("/v1/gates/deploy.43.approve/approve")
    assert (unknown.status, unknown.json["code"]) == (404, "decision_unknown")
    early = hosted.post("/v1/gates/deploy.43.approve/approve?keep_ms=60000")
    assert (early.status, early.json["verdict"]) == (202, "buffered")
    assert hosted.post("/v1/gates/deploy.43.approve/withdraw").json["state"] == "withdrawn"
    assert hosted.wait(f"/v1/runs/{run}", state="completed")
    ended = hosted.get(f"/v1/runs/{run}").json
    (asked,) = ended["signals"]
    assert ended["seeds"] == {"version": "42"} and "kept" not in ended
    assert (asked["action"], asked["state"], asked["by"]) == ("approve", "approved", "local")
    assert asked["value"] == {"because": "tested"}
    history = hosted.get(f"/v1/history/{run}").json["entries"]
    assert [entry["event"] for entry in history][:2] == ["accepted", "waiting"]


def test_a_run_is_cancelled_and_a_pipeline_paused(hosted):
    run = hosted.post("/v1/pipelines/deploy/runs", {"version": "1"}).json["run"]
    hosted.wait(f"/v1/runs/{run}", state="waiting")
    assert hosted.post(f"/v1/runs/{run}/redrive").json["code"] == "not_parked"
    assert hosted.post(f"/v1/runs/{run}/cancel", {"reason": "wrong version"}).json["state"] == "cancelled"
    assert hosted.post("/v1/pipelines/greet/pause", {"reason": "incident"}).json["state"] == "paused"
    queued = hosted.post("/v1/pipelines/greet/runs").json["run"]
    assert hosted.get(f"/v1/runs/{queued}").json["state"] == "queued"
    assert hosted.post("/v1/pipelines/greet/resume").json["state"] == "resumed"
    hosted.wait(f"/v1/runs/{queued}", state="completed")
    assert hosted.post("/v1/monitors/stock/pause?ttl_ms=60000").json["state"] == "paused"
    assert hosted.get("/v1/monitors/stock").json["paused"]
    assert hosted.post("/v1/monitors/stock/pause").json["code"] == "bad_attribute"


def test_the_metrics_are_those_of_the_page(hosted):
    hosted.post("/v1/pipelines/greet/runs", Prefer="wait=60")
    reply = hosted.get("/metrics")
    assert (reply.status, reply.headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    lines = reply.body.decode().splitlines()
    typed = dict(line.split()[2:4] for line in lines if line.startswith("# TYPE "))
    page = (ROOT / "Sources/ForgeBusGateway/ForgeBusGateway.docc/Metrics.md").read_text()
    told = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", page, re.MULTILINE))
    # Those of a fleet come only with a fleet: test_monitoring.py has one.
    assert typed == {name: kind for name, kind in told.items() if not name.startswith("forgebus_fleet_")}
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert {line.partition("{")[0] for line in values} == set(typed)
    assert len(values) == len([line for line in lines if not line.startswith("#")]), "no value comes twice"
    assert float(values["forgebus_worker_ready"]) == 1
    assert float(values['forgebus_runs{doing="ended"}']) == 1
    assert float(values["forgebus_uptime_seconds"]) > 0
    assert float(values['forgebus_gateway_requests_total{status="2xx"}']) >= 1


@pytest.mark.parametrize(("page", "least"), [("README.md", 3), ("Sources/ForgeBusGateway/ForgeBusGateway.docc/HTTPAPI.md", 4)])
def test_the_calls_that_the_pages_show_work(hosted, page, least):
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    calls = [line for block in blocks for line in block.splitlines() if line.startswith("curl ")]
    local = [call.replace("127.0.0.1:7780", f"127.0.0.1:{hosted.port}") for call in calls if "127.0.0.1" in call]
    assert len(local) >= least
    for call in local:
        if call.endswith("/approve"):
            while not hosted.get("/v1/gates").json["items"]:
                time.sleep(0.01)
        ended = subprocess.run(["sh", "-c", f"{call} --fail-with-body --silent --show-error"], capture_output=True, timeout=60)
        assert ended.returncode == 0, (call, ended)


def test_lists_go_on_by_their_links(hosted):
    for index in range(5):
        assert hosted.post("/v1/pipelines/greet/runs", Idempotency_Key=f"r {index}".replace(" ", "-")).status == 202
    seen, path = [], "/v1/runs?limit=2&order=newest"
    while path:
        page = hosted.get(path)
        assert page.status == 200, page
        seen += [item["id"] for item in page.json["items"]]
        path = page.headers["Link"] and page.headers["Link"].removeprefix("<").partition(">")[0]
        assert bool(path) == ("cursor" in page.json)
    assert seen == [f"r-{index}" for index in reversed(range(5))]
    assert [item["pipeline"] for item in hosted.get("/v1/pipelines?id=g").json["items"]] == ["greet"]
    assert [item["monitor"] for item in hosted.get("/v1/monitors").json["items"]] == ["stock"]
    assert hosted.get("/v1/worker").json["state"] == "ready"


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "unknown_path"),
        ("GET", "/v1/runs/", 404, "unknown_path"),
        ("GET", "/v1//runs", 404, "unknown_path"),
        ("GET", "/v1/../v1/runs", 404, "unknown_path"),
        ("GET", "/V1/runs", 404, "unknown_path"),
        ("PUT", "/v1/runs", 405, "unknown_method"),
        ("DELETE", "/v1/runs/x", 405, "unknown_method"),
        ("GET", "/v1/gates/x/approve", 405, "unknown_method"),
        ("POST", "/v1/openapi.json", 405, "unknown_method"),
        ("GET", "/v1/runs/nobody", 404, "unknown_run"),
        ("GET", "/v1/runs/a%2Fb", 400, "bad_name"),
        ("GET", "/v1/runs?limit=0", 400, "bad_attribute"),
        ("GET", "/v1/runs?lmit=1", 400, "bad_attribute"),
        ("GET", "/v1/runs?state=sleeping", 400, "bad_attribute"),
        ("POST", "/v1/pipelines/nothing/runs", 404, "unknown_pipeline"),
        ("POST", "/v1/pipelines/deploy/runs", 422, "bad_seed"),
        ("GET", "/v1/monitors/nothing", 404, "unknown_monitor"),
        ("GET", "/v1/gates/nothing", 404, "unknown_signal"),
    ],
)
def test_an_error_is_a_problem_with_its_next_move(hosted, method, path, status, code):
    reply = hosted.ask(method, path)
    assert (reply.status, reply.json["code"]) == (status, code), reply
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert reply.json["status"] == status and reply.json["type"] == f"/v1/problems/{code}"
    assert reply.json["detail"] and reply.json["next"] and reply.json["title"]
    assert reply.json["retryable"] is False
    if status == 405:
        assert reply.headers["Allow"] in ("GET, HEAD", "POST")
    explained = hosted.get(reply.json["type"])
    assert (explained.status, explained.json["meaning"]) == (200, reply.json["title"])


def test_the_changes_of_a_run_come_as_events(hosted):
    run = hosted.post("/v1/pipelines/deploy/runs", {"version": "7"}).json["run"]
    hosted.wait(f"/v1/runs/{run}", state="waiting")
    events = hosted.events(f"/v1/runs/{run}")
    name, id, data = next(events)
    assert (name, id, data["state"]) == ("run", None, "waiting")
    hosted.post("/v1/gates/deploy.7.approve/approve")
    rest = list(events)
    assert [event[0] for event in rest] == ["progress"] * (len(rest) - 1) + ["result"]
    numbers = [data["sequence"] for _, _, data in rest[:-1]]
    assert numbers == sorted(set(numbers)) and [str(number) for number in numbers] == [id for _, id, _ in rest[:-1]]
    assert [(data["state"], data["action"]) for _, _, data in rest[:-1]][-2:] == [("started", "push"), ("finished", "push")]
    assert (rest[-1][1], rest[-1][2]["state"]) == ("end", "completed")
    ended = hosted.get(f"/v1/runs/{run}", Accept="text/event-stream", Last_Event_ID="end")
    assert (ended.status, ended.body) == (204, b"")
    # Who connects again gets the end, and nothing twice.
    assert [event[0] for event in hosted.events(f"/v1/runs/{run}", **{"Last-Event-ID": str(numbers[-1])})] == ["run", "result"]
    assert hosted.get("/v1/runs/nobody", Accept="text/event-stream").status == 404


def test_answers_are_private_and_load_nothing(hosted):
    for path in ("/v1/runs", "/nothing", "/livez"):
        headers = hosted.get(path).headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert "Server" not in headers
    head = hosted.ask("HEAD", "/v1/runs")
    assert (head.status, head.body) == (200, b"") and int(head.headers["Content-Length"]) > 0


def test_a_token_in_a_private_file_lets_in_where_the_worker_has_a_private_socket(directory):
    worker = Worker(directory, YAML % {"directory": directory})
    gateway = Gateway(directory, worker.endpoint)
    file = directory / "forgebus" / "http-token"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    token = file.read_text().strip()
    assert Browser(gateway.port, token).get("/v1/runs").status == 200
    refused = Browser(gateway.port).get("/v1/runs")
    assert (refused.status, refused.json["code"]) == (401, "unauthorized")
    assert refused.headers["WWW-Authenticate"] == 'Bearer realm="forgebus"'
    assert Browser(gateway.port, token + "x").get("/v1/runs").status == 401
    assert Browser(gateway.port).get("/livez").status == 200
    gateway.stop()
    gateway.start()
    assert Browser(gateway.port, token).get("/v1/runs").status == 200, "the token is kept"
    assert token not in gateway.log.read_text()
    gateway.stop()
    file.chmod(0o644)
    ended = subprocess.run(
        [FORGEBUS, "gateway", "--endpoint", worker.endpoint, "--http", "0"],
        env={**os.environ, "XDG_RUNTIME_DIR": str(directory)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 78 and f"chmod 600 {file}" in ended.stderr, ended
    worker.stop()


class GatedWorker(KeyedWorker):
    """A worker whose `gateway` acts for everybody; ada and ben have tokens, ben's only to read."""

    principals = KeyedWorker.principals | {"gateway": ()}

    def _make_keys(self):
        super()._make_keys()
        self.tokens = {name: self.token(name, *scope) for name, scope in (("ada", ()), ("ben", ("read",)))}
        self.write_access()
        server, own = self.directory / "worker.key", self.directory / "gateway.key_secret"
        server.write_text(f'metadata\ncurve\n    public-key = "{self.keys["worker"][0].decode()}"\n')
        public, secret = (key.decode() for key in self.keys["gateway"])
        own.write_text(f'metadata\ncurve\n    public-key = "{public}"\n    secret-key = "{secret}"\n')
        own.chmod(0o600)

    def token(self, name, *scope):
        """A new token, as `forgebus token` prints it: its text and the lines for the access file."""
        scopes = [word for right in scope for word in ("--scope", right)]
        said = subprocess.run([FORGEBUS, "token", name, *scopes], check=True, capture_output=True, text=True).stdout
        first, _, *lines = said.splitlines()
        return first.split()[-1], "\n".join(lines)

    def write_access(self):
        access = self.directory / "access.yaml"
        text = "principals:\n"
        for name, rights in self.principals.items():
            text += f"  {name}:\n    keys: [{json.dumps(self.keys[name][0].decode())}]\n"
            text += "".join(f'    {right}: [">"]\n' for right in rights)
            text += '    act_as: [">", "mode.ada"]\n' if name == "gateway" else ""
            text += self.tokens[name][1] + "\n" if name in self.tokens else ""
        access.write_text(text)

    def gateway(self, directory):
        return Gateway(
            directory,
            self.endpoint,
            ["--access", self.directory / "access.yaml", "--server-key", self.directory / "worker.key"]
            + ["--certificate", self.directory / "gateway.key_secret"],
        )


def test_a_token_stands_for_its_principal_within_its_scope(directory):
    worker = GatedWorker(directory, YAML % {"directory": directory})
    gateway = worker.gateway(directory)
    ada, ben = (Browser(gateway.port, worker.tokens[name][0]) for name in ("ada", "ben"))
    run = ada.post("/v1/pipelines/deploy/runs", {"version": "1"}, Idempotency_Key="k").json["run"]
    ada.wait(f"/v1/runs/{run}", state="waiting")
    assert ada.get(f"/v1/runs/{run}").json["principal"] == "ada"
    refused = ben.post("/v1/gates/deploy.1.approve/approve")
    assert (refused.status, refused.json["code"], refused.json["scope"]) == (403, "forbidden", ["read"])
    assert ben.get("/v1/gates").status == 200
    assert ada.post("/v1/gates/deploy.1.approve/approve").status == 200
    conflict = ada.post("/v1/gates/deploy.1.approve/reject").json
    assert (conflict["by"], conflict["via"]) == ("ada", "gateway")
    history = ada.get(f"/v1/history/{run}").json["entries"]
    assert [(entry["principal"], entry["via"]) for entry in history if entry["event"] == "accepted"] == [("ada", "gateway")]
    # After SIGHUP, a removed token does not let in, and a new one does.
    removed, _ = worker.tokens["ada"]
    worker.tokens["ada"] = worker.token("ada")
    worker.write_access()
    gateway.process.send_signal(signal.SIGHUP)
    while Browser(gateway.port, worker.tokens["ada"][0]).get("/v1/runs").status != 200:
        time.sleep(0.01)
    assert Browser(gateway.port, removed).get("/v1/runs").status == 401
    gateway.stop()
    worker.stop()


def test_a_worker_with_keys_says_over_http_that_it_is_ready(directory):
    worker = GatedWorker(directory, YAML % {"directory": directory}, arguments=["--http", "127.0.0.1:0"])
    browser = Browser(served_port(worker.said, lambda: worker.process.poll() is None))
    ready = browser.get("/readyz")
    assert (ready.status, ready.json["status"]) == (200, "ok"), ready
    assert browser.get("/v1/runs").status == 401
    worker.stop()


@pytest.mark.parametrize("is_separate", [True, False])
def test_each_user_has_request_ids_of_their_own(directory, is_separate):
    arguments = [] if is_separate else ["--http", "127.0.0.1:0"]
    worker = GatedWorker(directory, YAML % {"directory": directory}, arguments=arguments)
    worker.tokens["ada"], worker.tokens["eve"] = worker.token("ada"), worker.token("eve")
    worker.principals = worker.principals | {"eve": ("run", "read")}
    worker.write_access()
    gateway = worker.gateway(directory) if is_separate else None
    worker.process.send_signal(signal.SIGHUP)
    port = gateway.port if gateway else served_port(worker.said, lambda: worker.process.poll() is None)
    ada, eve = (Browser(port, worker.tokens[name][0]) for name in ("ada", "eve"))
    while eve.get("/v1/runs").status != 200:
        time.sleep(0.01)
    runs = {}
    for _ in range(2):
        for name, browser in (("ada", ada), ("eve", eve)):
            reply = browser.post("/v1/pipelines/greet/runs", {"name": name}, Idempotency_Key="same")
            assert reply.status == 202, reply
            runs.setdefault(name, set()).add(reply.json["run"])
    assert len(runs["ada"]) == len(runs["eve"]) == 1 and runs["ada"] != runs["eve"]
    refused = ada.post("/v1/pipelines/greet/runs", {"name": "other"}, Idempotency_Key="same")
    assert (refused.status, refused.json["code"]) == (422, "id_conflict")
    if gateway:
        gateway.stop()
    worker.stop()


@pytest.mark.parametrize("is_separate", [True, False])
def test_a_wait_ends_with_the_right_and_with_the_token(directory, is_separate):
    arguments = [] if is_separate else ["--http", "127.0.0.1:0"]
    worker = GatedWorker(directory, YAML % {"directory": directory}, arguments=arguments)
    gateway = worker.gateway(directory) if is_separate else worker
    port = gateway.port if is_separate else served_port(worker.said, lambda: worker.process.poll() is None)
    ada, ben = (Browser(port, worker.tokens[name][0]) for name in ("ada", "ben"))
    run = ada.post("/v1/pipelines/deploy/runs", {"version": "1"}).json["run"]
    ada.wait(f"/v1/runs/{run}", state="waiting")

    def wait_for(seconds, then):
        """What ben gets who waits for the run, if something happens meanwhile."""
        replies = []
        thread = threading.Thread(target=lambda: replies.append(ben.get(f"/v1/runs/{run}", Prefer=f"wait={seconds}")))
        thread.start()
        time.sleep(0.3)  # so that the request arrives first; if it does not, it gets the same answer
        then()
        thread.join(PATIENCE)
        return replies[0].status, replies[0].json.get("code")

    def give(*rights):
        worker.principals = worker.principals | {"ben": rights}
        worker.write_access()
        worker.process.send_signal(signal.SIGHUP)

    def take_token():
        del worker.tokens["ben"]
        worker.write_access()
        gateway.process.send_signal(signal.SIGHUP)

    # Without the right, the wait ends with the time that was asked for, at the latest.
    assert ben.get(f"/v1/runs/{run}").status == 200
    began = time.monotonic()
    assert wait_for(2, lambda: give("complete")) == (403, "forbidden")
    assert time.monotonic() - began < 15
    give("complete", "read")
    while ben.get(f"/v1/runs/{run}").status != 200:
        time.sleep(0.01)
    # Without the token, it ends at once.
    assert wait_for(300, take_token) == (401, "unauthorized")
    if is_separate:
        gateway.stop()
    worker.stop()


def test_a_session_ends_at_logout_and_guesses_are_slowed_down(directory):
    worker = Worker(directory, YAML % {"directory": directory})
    gateway = Gateway(directory, worker.endpoint)
    token = (directory / "forgebus" / "http-token").read_text().strip()
    browser = Browser(gateway.port)

    def log_in(token):
        return browser.ask("POST", "/login", f"token={token}".encode(), Content_Type="application/x-www-form-urlencoded")

    cookies = []
    for _ in range(2):
        entered = log_in(token)
        assert entered.status == 303, entered
        cookies.append(entered.headers["Set-Cookie"].split(";")[0])
        assert token not in cookies[-1]
    assert cookies[0] != cookies[1]
    assert [browser.get("/v1/runs", Cookie=cookie).status for cookie in cookies] == [200, 200]
    assert browser.get("/v1/runs", Cookie=f"forgebus={token}").status == 401
    stream = browser.connect()
    stream.request("GET", "/v1/events/%3E", headers={"Cookie": cookies[0]})
    events = stream.getresponse()
    assert events.status == 200
    assert browser.post("/logout", b"", Cookie=cookies[0]).status == 303
    assert events.read() == b":\n\n", "the stream ends with its session"
    stream.close()
    assert [browser.get("/v1/runs", Cookie=cookie).status for cookie in cookies] == [401, 200]
    assert [log_in("fbt_wrong").status for _ in range(6)] == [401] * 5 + [429]
    slowed = log_in(token)
    assert slowed.status == 429 and int(slowed.headers["Retry-After"]) >= 1
    assert browser.get("/v1/runs", Cookie=cookies[1]).status == 200
    gateway.stop()
    worker.stop()


def test_the_console_has_a_page_of_each_monitor(hosted):
    page = hosted.get("/monitors/stock", Accept="text/html")
    assert page.status == 200 and b'href="/monitors/stock"' in page.body
    assert hosted.get("/monitors/none", Accept="text/html").status == 404


def test_it_is_ready_only_while_its_worker_is(directory):
    worker = Worker(directory, YAML % {"directory": directory})
    gateway = Gateway(directory, worker.endpoint)
    browser = Browser(gateway.port)
    ready = browser.get("/readyz")
    assert (ready.status, ready.json["status"]) == (200, "ok")
    worker.kill()
    failed = browser.get("/readyz")
    assert (failed.status, failed.json["check"]) == (503, "worker")
    assert browser.get("/livez").status == 200
    token = (directory / "forgebus" / "http-token").read_text().strip()
    gone = Browser(gateway.port, token).get("/v1/runs")
    assert (gone.status, gone.json["retryable"]) in ((503, True), (504, True)), gone
    worker.start()
    while browser.get("/readyz").status != 200:
        time.sleep(0.01)
    gateway.stop()
    worker.stop()


def post_until_answered(gateway, token, path, body, key):
    """Sends a request again and again with one key, over every kill, until an answer comes; its status and JSON."""
    while True:
        try:
            reply = Browser(gateway.port, token).post(path, body, Idempotency_Key=key)
        except (OSError, http.client.HTTPException):
            reply = None  # a kill cut the connection off
        if reply and reply.status < 500 and reply.status != 429:
            return reply
        time.sleep(0.02)


@pytest.mark.row(22)
def test_a_request_that_comes_many_times_over_kills_runs_once(directory):
    worker = Worker(directory, YAML % {"directory": directory})
    gateway = Gateway(directory, worker.endpoint)
    token = (directory / "forgebus" / "http-token").read_text().strip()
    marks = directory / "marks"
    marks.mkdir()
    runs = {}

    def send(connection):
        for copy in range(10):
            for key in range(8):
                body = {"file": str(marks / str(key))}
                reply = post_until_answered(gateway, token, "/v1/pipelines/count/runs", body, f"key-{key}")
                assert reply.status == 202, reply
                runs.setdefault(key, set()).add(reply.json["run"])

    threads = [threading.Thread(target=send, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for turn in range(4):
        time.sleep(0.3)
        victim = (worker, gateway)[turn % 2]
        victim.kill()
        victim.start()
    for thread in threads:
        thread.join()
    assert {key: len(ids) for key, ids in runs.items()} == {key: 1 for key in range(8)}
    browser = Browser(gateway.port, token)
    for key, ids in runs.items():
        assert browser.get(f"/v1/runs/{next(iter(ids))}", Prefer="wait=60").json["state"] == "completed"
        # One run each; an action that a kill of the worker cut off is executed again, as every worker does.
        assert len((marks / str(key)).read_text()) in (1, 2, 3)
    assert len(browser.get("/v1/runs?limit=100").json["items"]) == 8
    gateway.stop()
    worker.stop()


@pytest.mark.row(22)
def test_ten_stops_under_load_lose_no_acknowledgement(directory):
    worker = Worker(directory, YAML % {"directory": directory})
    gateway = Gateway(directory, worker.endpoint)
    token = (directory / "forgebus" / "http-token").read_text().strip()
    acknowledged, ended = set(), threading.Event()

    def send(number):
        while not ended.is_set():
            try:
                reply = Browser(gateway.port, token).post("/v1/pipelines/greet/runs", {"name": str(number)})
            except (OSError, http.client.HTTPException):
                continue
            if reply.status == 202:
                acknowledged.add(reply.json["run"])

    threads = [threading.Thread(target=send, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for turn in range(10):
        before = len(acknowledged)
        while len(acknowledged) < before + 5:
            time.sleep(0.005)
        gateway.process.send_signal(signal.SIGTERM)
        # It is ready until it stops, and never again after that.
        was_ready = True
        while gateway.process.poll() is None:
            try:
                is_ready = Browser(gateway.port).get("/readyz").status == 200
            except (OSError, http.client.HTTPException):
                is_ready = False
            assert was_ready or not is_ready
            was_ready = is_ready
        assert gateway.process.returncode == 0, gateway.said()
        gateway.start()
    ended.set()
    for thread in threads:
        thread.join()
    browser, known, path = Browser(gateway.port, token), set(), "/v1/runs?limit=500"
    while path:
        page = browser.get(path)
        known |= {item["run"] for item in page.json["items"]}
        path = page.headers["Link"] and page.headers["Link"].removeprefix("<").partition(">")[0]
    assert acknowledged <= known
    gateway.stop()
    worker.stop()

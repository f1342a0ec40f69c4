"""Web services report to `/hooks/NAME` of a real gateway: what a valid delivery causes, and that no other has an effect."""

import base64
import datetime
import hashlib
import hmac
import json
import socket

import pytest
from standardwebhooks import Webhook

from gateway import Browser, served_port
from worker import Worker

SECRET = "whsec_" + base64.b64encode(bytes(range(24))).decode()
FILE = """
worker: {store: memory}
monitors:
  repository:
    topics: [repo.>]
    actions: [{id: look, run: [sh, -c, "cat >> looked; echo >> looked"]}]
pipelines:
  deploy:
    seeds:
      ref: {type: string}
      event: {type: string, required: false}
      delivery: {type: string, required: false}
      whole: {type: object, required: false}
      second: {type: string, required: false}
      brace: {type: string, required: false}
    outputs: [ref, event, delivery, whole, second, brace]
    actions: [{id: build, run: ["true"]}]
webhooks:
  push:
    signature: github
    secret_file: github.secret
    events: [push]
    run: deploy
    seeds: {ref: "{body.ref}", event: "{event}", delivery: "{delivery}", second: "{body.commits.1.id}", brace: "{{x}"}
  github: {signature: github, secret_file: github.secret, topic: "repo.{event}"}
  releases:
    signature: github
    secret_file: github.secret
    only: {body.action: [published, released], event: release}
    run: deploy
    seeds: {ref: "{body.tag}"}
  gitlab: {signature: gitlab, secret_file: gitlab.secret, topic: "repo.{event}"}
  shop: {signature: standard, secret_file: shop.secret, run: deploy, seeds: {ref: "{event}", whole: "{body}"}}
"""


@pytest.fixture
def browser(directory):
    for name, secret in (("github", "git secret"), ("gitlab", "lab"), ("shop", SECRET)):
        path = directory / f"{name}.secret"
        path.write_text(secret + "\n")
        path.chmod(0o600)
    environment = {"XDG_RUNTIME_DIR": str(directory)}
    worker = Worker(directory, FILE, store="memory", environment=environment, arguments=["--http", "127.0.0.1:0"])
    browser = Browser(served_port(worker.said, lambda: worker.process.poll() is None))
    token = next(directory.rglob("http-token")).read_text().strip()
    browser.reader = Browser(browser.port, token)
    browser.looked = directory / "looked"
    yield browser
    worker.kill()


def github(body, event="push", delivery="72d3162e-cc78-11e3-81ab-4c9367dc0958", secret=b"git secret"):
    signature = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
    return {"X_Hub_Signature_256": signature, "X_GitHub_Event": event, "X_GitHub_Delivery": delivery}


def standard(body, delivery="msg_1", at=None, secret=SECRET):
    at = at or datetime.datetime.now(datetime.timezone.utc)
    signature = Webhook(secret).sign(delivery, at, body.decode())
    return {
        "webhook_id": delivery, "webhook_timestamp": str(int(at.timestamp())),
        "webhook_signature": f"v1,AAAA {signature}",
    }


def runs(browser):
    return browser.reader.get("/v1/runs").json["items"]


def outputs(browser, run):
    """The outputs of a run, once it has ended."""
    return next(data for name, _, data in browser.reader.events(f"/v1/runs/{run}") if name == "result")["outputs"]


def test_a_delivery_of_github_starts_one_run_even_if_it_comes_twice(browser):
    body = json.dumps({"ref": "refs/heads/main", "commits": [{"id": "1"}, {"id": "2"}]}).encode()
    first = browser.post("/hooks/push", body, **github(body))
    assert first.status == 202, first
    assert first.headers["Location"] == f"/v1/runs/{first.json['run']}"
    assert browser.post("/hooks/push", body, **github(body)).json == first.json
    [run] = runs(browser)
    assert outputs(browser, run["run"]) == {
        "ref": "refs/heads/main", "event": "push", "delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958", "second": "2",
        "brace": "{x}",
    }


def test_an_event_that_the_webhook_does_not_name_has_no_effect(browser):
    reply = browser.post("/hooks/push", b"{}", **github(b"{}", event="ping"))
    assert (reply.status, reply.json) == (200, {"ignored": "ping"})
    assert runs(browser) == []


def test_a_delivery_without_the_wanted_values_has_no_effect(browser):
    for action, event, status in [
        ("edited", "release", 200), (None, "release", 200), ("published", "push", 200), ("released", "release", 202),
    ]:
        body = json.dumps({"action": action, "tag": "v1"}).encode()
        assert browser.post("/hooks/releases", body, **github(body, event, delivery=f"{action}{event}")).status == status
    assert len(runs(browser)) == 1


def test_two_webhooks_take_one_delivery_each(browser):
    body = json.dumps({"ref": "r", "action": "published", "tag": "v1"}).encode()
    for name in ("push", "releases"):
        event = {"push": "push", "releases": "release"}[name]
        assert browser.post(f"/hooks/{name}", body, **github(body, event)).status == 202
    assert len(runs(browser)) == 2


def test_a_form_is_not_read(browser):
    reply = browser.post("/hooks/push", b"payload={}", Content_Type="application/x-www-form-urlencoded", **github(b"payload={}"))
    assert (reply.status, reply.json["code"]) == (415, "unsupported_type"), reply


def test_a_secret_that_cannot_be_read_refuses_every_delivery(browser):
    secret = browser.looked.with_name("github.secret")
    secret.chmod(0o644)
    reply = browser.post("/hooks/push", b"{}", **github(b"{}"))
    assert (reply.status, reply.json["code"]) == (503, "webhook_unavailable"), reply
    secret.chmod(0o600)
    assert browser.post("/hooks/push", b"{}", **github(b"{}", event="ping")).status == 200


def test_a_seed_that_the_delivery_lacks_is_refused_by_the_worker(browser):
    reply = browser.post("/hooks/push", b"{}", **github(b"{}"))
    assert (reply.status, reply.json["code"]) == (422, "bad_seed"), reply


def test_a_delivery_becomes_a_notification_with_its_body(browser):
    reply = browser.post("/hooks/github", b"any bytes", **github(b"any bytes", event="pull_request"))
    assert (reply.status, reply.json) == (202, {"delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958"}), reply
    headers = {"X_Gitlab_Token": "lab", "X_Gitlab_Event": "Push Hook", "X_Gitlab_Event_UUID": "u1"}
    assert browser.post("/hooks/gitlab", b"{}", **headers).status == 202
    # Another notification with a wait covers both.
    waited = browser.reader.post("/v1/topics/repo.x", b"", Prefer="wait=60")
    assert waited.status == 200, waited
    looked = browser.looked.read_text()
    for topic in ("repo.pull_request", "repo.Push-Hook"):
        assert f'"topic":"{topic}"' in looked
    assert '"body":"any bytes"' in looked


def test_a_standard_webhook_has_its_event_in_the_body(browser):
    body = json.dumps({"type": "invoice.paid", "data": {"id": 1}}).encode()
    reply = browser.post("/hooks/shop", body, **standard(body))
    assert reply.status == 202, reply
    assert outputs(browser, reply.json["run"]) == {"ref": "invoice.paid", "whole": {"type": "invoice.paid", "data": {"id": 1}}}


def test_a_delivery_without_its_event_is_refused_where_the_topic_needs_the_event(browser):
    fields = github(b"{}")
    del fields["X_GitHub_Event"]
    reply = browser.post("/hooks/github", b"{}", **fields)
    assert (reply.status, reply.json["code"]) == (400, "bad_name")
    assert "does not name its event" in reply.json["detail"]


def old(minutes):
    return datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=minutes)


def forged():
    """The forged deliveries; they are made when they are sent, because their times count."""
    return [
        ("push", {}),
        ("push", github(b"{}", secret=b"other")),
        ("push", github(b"other")),
        ("push", github(b"{}") | {"X_Hub_Signature_256": "sha256="}),
        ("push", github(b"{}") | {"X_Hub_Signature_256": "sha256=zz"}),
        ("push", github(b"{}") | {"X_Hub_Signature_256": "sha1=" + "0" * 40}),
        ("push", github(b"{}") | {"X_Hub_Signature_256": ""}),
        ("gitlab", {"X_Gitlab_Token": "la", "X_Gitlab_Event": "Push Hook", "X_Gitlab_Event_UUID": "u"}),
        ("gitlab", {"X_Gitlab_Event": "Push Hook", "X_Gitlab_Event_UUID": "u"}),
        ("shop", standard(b"{}", secret="whsec_" + base64.b64encode(bytes(24)).decode())),
        ("shop", standard(b"{}") | {"webhook_id": "msg_2"}),
        ("shop", standard(b"{}", at=old(6))),
        ("shop", standard(b"{}", at=old(-6))),
        ("shop", standard(b"{}") | {"webhook_timestamp": "now"}),
        ("shop", standard(b"{}") | {"webhook_signature": "v1,"}),
        ("shop", standard(b"{}") | {"webhook_signature": standard(b"{}")["webhook_signature"].replace("v1,", "v2,")}),
    ]


def test_no_forged_delivery_has_an_effect(browser):
    for name, headers in forged():
        reply = browser.post(f"/hooks/{name}", b"{}", **headers)
        assert (reply.status, reply.json["code"]) == (401, "bad_signature"), (name, headers, reply)
    assert runs(browser) == []


def test_few_bodies_are_read_before_their_signature_is_checked(browser):
    def ping():
        return browser.post("/hooks/push", b"{}", **github(b"{}", event="ping")).status

    assert ping() == 200
    idle = []
    # A ping may have the place that one of them would take: that one is refused, and the next one comes in.
    while ping() != 429:
        connection = socket.create_connection(("127.0.0.1", browser.port))
        connection.sendall(
            b"POST /hooks/push HTTP/1.1\r\nHost: localhost\r\nX-Hub-Signature-256: sha256=00\r\nContent-Length: 9\r\n\r\n{"
        )
        idle.append(connection)
    assert len(idle) >= 16
    for connection in idle:
        connection.close()
    while ping() != 200:
        pass


def test_a_signature_is_no_token_and_a_token_no_signature(browser):
    body = b"{}"
    assert browser.post("/v1/pipelines/deploy/runs", body, **github(body)).status == 401
    assert browser.reader.post("/hooks/push", body).status == 401


def test_a_delivery_needs_its_id(browser):
    headers = {key: value for key, value in github(b"{}").items() if key != "X_GitHub_Delivery"}
    reply = browser.post("/hooks/push", b"{}", **headers)
    assert (reply.status, reply.json["code"]) == (400, "bad_id"), reply


@pytest.mark.parametrize(
    "method, path, status", [("GET", "push", 405), ("POST", "nothing", 404), ("POST", "", 404), ("POST", "push/x", 404)]
)
def test_other_paths_and_methods_are_refused(browser, method, path, status):
    assert browser.ask(method, f"/hooks/{path}", b"{}" if method == "POST" else None).status == status

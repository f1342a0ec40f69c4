"""`post:` against a real server, which checks, delays, drops, redirects and answers too much."""

import base64
import json
import socket
import ssl
import subprocess

import pytest
from standardwebhooks import Webhook

from gateway import Browser, served_port
from receiver import Receiver, answer
from worker import FORGEBUS, PATIENCE, Worker

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


def drop(handler):
    """Closes the connection without an answer."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def banner(handler):
    """Answers as a server of another protocol."""
    handler.connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
    handler.close_connection = True


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


def delay(receiver):
    """Answers only after the test."""
    return lambda handler: receiver.released.wait(PATIENCE) and drop(handler)


def file(url, post="", pipeline="", more="", store="memory"):
    return f"""
worker: {{store: {store}}}
pipelines:
  tell:
    seeds: {{gate: {{type: string, default: a.b}}, key: {{type: string, secret: true, required: false}}}}
    outputs: [outputs.hook]
    {pipeline}
    actions:
      - id: hook
        post: {url}
        {post}
{more}
"""


@pytest.fixture
def serve(directory):
    workers = []

    def serve(text, store="memory", environment=None):
        (directory / "hook.secret").write_text(SECRET + "\n")
        (directory / "hook.secret").chmod(0o600)
        workers.append(Worker(directory, text, store=store, environment=environment))
        return workers[-1]

    yield serve
    for worker in workers:
        worker.kill()


def run(worker, *seeds):
    """Runs the pipeline, and gives its result."""
    command = [FORGEBUS, "run", "tell", *seeds, "--endpoint", worker.endpoint, "--output", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    return json.loads(done.stdout)[-1]


def check(directory, text):
    """What `--check` says of a file."""
    (directory / "worker.yaml").write_text(text)
    command = [FORGEBUS, "worker", "--check", "--config", directory / "worker.yaml"]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


def test_a_post_is_signed_and_has_the_values_of_the_run(receiver, serve):
    receiver.expects(answer(200, b'{"ticket": 7}', Content_Type="application/json"))
    worker = serve(
        file(
            receiver.url + "/hook/{seed.gate}?run={run.id}",
            'send: {text: "{seed.gate} waits", gate: "{seed.gate}", count: 3, brace: "{{x"}\n        secret_file: hook.secret',
        )
    )
    result = run(worker, "gate=a/../b?c#ü%")
    assert result["state"] == "completed", result
    assert result["outputs"] == {"outputs.hook": {"ticket": 7}}
    [(path, headers, body)] = receiver.requests
    assert path == f"/hook/a%2F..%2Fb%3Fc%23%C3%BC%25?run={result['run']}"
    assert Webhook(SECRET).verify(body, {name.lower(): value for name, value in headers.items()}) == {
        "text": "a/../b?c#ü% waits", "gate": "a/../b?c#ü%", "count": 3, "brace": "{x",
    }
    assert headers["Idempotency-Key"] == headers["webhook-id"] == f"{result['run']}/hook"
    assert headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("gate", ["..", "."])
def test_a_value_cannot_leave_its_part_of_the_path(receiver, serve, gate):
    result = run(serve(file(receiver.url + "/hook/{seed.gate}/x")), f"gate={gate}")
    assert "a part of the path" in result["reason"] and receiver.requests == [], result


def test_a_status_counts_although_the_rest_of_the_answer_never_comes(receiver, serve):
    def begin(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"half")
        receiver.released.wait(PATIENCE)

    receiver.expects(begin)
    result = run(serve(file(receiver.url, "timeout: 1s\n        retry: {attempts: 3}")))
    assert result["state"] == "completed" and len(receiver.requests) == 1, result


def test_a_post_is_tried_again_under_one_key(receiver, serve):
    receiver.expects(answer(500, b"no space\nleft"), drop, delay(receiver), answer(302, Location="/other"), answer(201))
    worker = serve(file(receiver.url, "retry: {attempts: 9, backoff: 0s}\n        timeout: 1s"))
    result = run(worker)
    assert result["state"] == "completed", result
    assert [path for path, _, _ in receiver.requests] == ["/"] * 5
    assert {headers["Idempotency-Key"] for _, headers, _ in receiver.requests} == {f"{result['run']}/hook"}


@pytest.mark.parametrize(
    "script, reason",
    [
        (answer(500, b"no space\nleft"), "the server answered with status 500: no space"),
        (drop, "the server closed the connection without an answer"),
        (answer(302, Location="http://127.0.0.1:1/x"), 'the server redirects to "http://127.0.0.1:1/x" (status 302)'),
        (answer(404), "the server answered with status 404"),
        (banner, "is not valid HTTP; check the port in the URL"),
    ],
)
def test_a_failure_tells_what_the_server_did(receiver, serve, script, reason):
    receiver.expects(script)
    result = run(serve(file(receiver.url)))
    assert result["state"] == "failed"
    assert reason in result["reason"], result
    assert len(receiver.requests) == 1


def test_a_refused_connection_is_told_with_its_address_and_port(serve):
    result = run(serve(file("http://127.0.0.1:1/x")))
    assert "no connection to 127.0.0.1, port 1: Connection refused" in result["reason"], result


def test_a_server_that_does_not_answer_takes_no_longer_than_the_limit(receiver, serve):
    receiver.expects(delay(receiver))
    result = run(serve(file(receiver.url, "timeout: 200ms")))
    assert result["state"] == "failed"
    assert "no answer within 0.2 seconds" in result["reason"], result


def test_only_the_beginning_of_a_long_answer_is_kept(receiver, serve):
    long = b'["' + b"x" * 5 * 1024 * 1024 + b'"]'
    receiver.expects(answer(200, long, Content_Type="application/json"))
    worker = serve(file(receiver.url), store=None)
    result = run(worker)
    assert result["state"] == "completed", result
    assert result.get("outputs", {}) == {}
    command = [FORGEBUS, "logs", result["run"], "--endpoint", worker.endpoint]
    shown = subprocess.run(command, capture_output=True, timeout=PATIENCE).stdout
    assert 64 * 1024 <= len(shown) < 70 * 1024


@pytest.mark.parametrize("host", ["0xa9fe0101", "2851995905", "[::ffff:169.254.1.1]"])
def test_a_name_that_leads_to_a_link_local_address_is_refused(serve, host):
    result = run(serve(file(f'"http://{host}:1/latest"', "timeout: 10s")))
    assert "link-local" in result["reason"], result


def test_the_address_itself_may_be_link_local(serve):
    # Whatever is there, the worker tries.
    result = run(serve(file("http://169.254.1.1:1/", "timeout: 100ms")))
    assert result["state"] == "failed" and "link-local" not in result["reason"], result


def test_variables_for_proxies_are_ignored(receiver, serve):
    proxy = "http://127.0.0.1:1"
    worker = serve(file(receiver.url), environment={"http_proxy": proxy, "HTTP_PROXY": proxy, "ALL_PROXY": proxy})
    assert run(worker)["state"] == "completed"


def test_nothing_is_sent_to_a_server_whose_certificate_is_not_trusted(directory, serve):
    certificate = directory / "server.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
         "/CN=localhost", "-days", "2", "-keyout", certificate, "-out", directory / "only.pem"],
        check=True, capture_output=True,
    )
    certificate.write_text(certificate.read_text() + (directory / "only.pem").read_text())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    receiver = Receiver()
    receiver.server.socket = context.wrap_socket(receiver.server.socket, server_side=True)
    result = run(serve(file(receiver.url.replace("http:", "https:"), "timeout: 10s")))
    receiver.close()
    assert result["state"] == "failed", result
    assert receiver.requests == []


def test_a_secret_seed_is_sent_and_not_shown(receiver, serve):
    receiver.expects(lambda handler: answer(400, b"bad key " + receiver.requests[0][2])(handler))
    worker = serve(file(receiver.url, 'send: {key: "{seed.key}"}'), store=None)
    result = run(worker, 'key=s3cr3t-"value"')
    assert json.loads(receiver.requests[0][2]) == {"key": 's3cr3t-"value"'}
    assert "s3cr3t" not in json.dumps(result) and 'bad key {"key":"[secret]"}' in result["reason"], result
    command = [FORGEBUS, "logs", result["run"], "--endpoint", worker.endpoint]
    assert b"s3cr3t" not in subprocess.run(command, capture_output=True, timeout=PATIENCE).stdout
    assert "s3cr3t" not in worker.said()


def test_a_post_that_a_crash_interrupts_is_sent_again_under_the_same_key(receiver, serve):
    receiver.expects(delay(receiver))
    worker = serve(file(receiver.url), store=None)
    command = [FORGEBUS, "run", "tell", "--endpoint", worker.endpoint, "--output", "json"]
    asking = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    while not receiver.requests:
        assert asking.poll() is None
    worker.kill()
    worker.start()
    output, _ = asking.communicate(timeout=PATIENCE)
    assert json.loads(output)[-1]["state"] == "completed"
    first, second = [headers["Idempotency-Key"] for _, headers, _ in receiver.requests]
    assert first == second


@pytest.mark.parametrize(
    "sent, passed",
    [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", True),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", False),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x", False),
    ],
)
def test_the_trace_context_of_a_request_reaches_commands_and_posts(directory, receiver, sent, passed):
    text = file(receiver.url, more="""      - {id: show, run: [sh, -c, 'printf "trace=%s" "$TRACEPARENT"']}""")
    text = text.replace("outputs: [outputs.hook]", "outputs: [outputs.show]")
    worker = Worker(
        directory, text, store="memory", arguments=["--listen", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0"]
    )
    browser = Browser(served_port(worker.said, lambda: worker.process.poll() is None))
    reply = browser.post("/v1/pipelines/tell/runs", {}, traceparent=sent, Prefer="wait=60")
    assert reply.json["outputs"] == {"outputs.show": f"trace={sent if passed else ''}"}, reply
    assert receiver.requests[0][1].get("traceparent") == (sent if passed else None)
    worker.kill()


def test_a_monitor_posts_its_causes(receiver, serve):
    worker = serve(
        f"""
worker: {{store: memory}}
monitors:
  stock:
    topics: [stock.>]
    actions:
      - {{id: tell, post: "{receiver.url}", send: {{topics: "{{cause.topics}}", count: "{{cause.count}}", kind: low}}}}
"""
    )
    command = [FORGEBUS, "notify", "stock.apples", "--wait", "--endpoint", worker.endpoint]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    bodies = [json.loads(body) for _, _, body in receiver.requests]
    assert bodies[-1] == {"topics": ["stock.apples"], "count": 1, "kind": "low"}
    keys = [headers["Idempotency-Key"] for _, headers, _ in receiver.requests]
    assert len(set(keys)) == len(keys)


BAD = [
    ('"http://{seed.gate}/x"', "", "cannot have placeholders"),
    ('"http://a:{seed.gate}/x"', "", "cannot have placeholders"),
    ("http://ada:secret@a.example/x", "", "cannot have a user name or a password"),
    ("http://a:70000/x", "", "a port from 1 to 65535"),
    ("ftp://a.example/x", "", "begins with http:// or https://"),
    ("http:///x", "", "a URL with a host"),
    ("http://a.example/x#y", "", "has no fragment"),
    ('"http://a.example/x y"', "", "no spaces"),
    ("http://a.example/ü", "", "only ASCII"),
    ('"http://a.example/{seed.gatee}"', "", "Did you mean `gate`?"),
    ('"http://a.example/{seed.key}"', "", "is secret"),
    ("http://a.example/", 'send: {x: "key {seed.key}"}', "is secret"),
    ("http://a.example/", 'send: {x: "{nothing}"}', "is not a placeholder"),
    ("http://a.example/", 'send: {x: [{y: "{seed.gate}"}]}', "works only in a text directly below `send`"),
    ("http://a.example/", "run: [x]", "not both"),
    ("http://a.example/", "secret_file: missing", "cannot be read"),
]


@pytest.mark.parametrize("url, post, message", BAD)
def test_a_bad_post_is_refused_by_check(directory, url, post, message):
    checked = check(directory, file(url, post))
    assert checked.returncode == 78, checked
    assert message in checked.stderr, checked.stderr


def test_a_secret_that_everybody_may_read_is_refused(directory):
    secret = directory / "hook.secret"
    secret.write_text(SECRET)
    secret.chmod(0o644)
    checked = check(directory, file("http://a.example/", "secret_file: hook.secret"))
    assert checked.returncode == 78 and f"chmod o= {secret}" in checked.stderr
    secret.chmod(0o600)
    secret.write_text("hunter2")
    assert "whsec_ and then 24 to 64 bytes in Base64" in check(directory, file("http://a.example/", "secret_file: hook.secret")).stderr

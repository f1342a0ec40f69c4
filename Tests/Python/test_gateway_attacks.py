"""What an attacker sends to a gateway: each attack is refused, changes nothing, and leaves the gateway as it was."""

import json
import socket

import pytest
from gateway import Browser, Gateway, served_port
from worker import Worker

YAML = """
monitors:
  stock:
    topics: ["stock.>"]
    actions: [{id: look, run: ["true"]}]
pipelines:
  greet:
    seeds: {name: {type: string, default: World}}
    actions: [{id: hello, run: ["true"]}]
"""

TYPES = [
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json",
    "application/json; charset=utf-8", "application/cloudevents+json", "application/octet-stream", "text/html", "",
]


@pytest.fixture(scope="module")
def gateway(tmp_path_factory):
    """A gateway that lets everybody in who reaches it, so that only what the attacks aim at protects it."""
    directory = tmp_path_factory.mktemp("open", numbered=True)
    worker = Worker(directory, YAML, arguments=["--listen", "tcp://127.0.0.1:*", "--http", "127.0.0.1:0"])
    port = served_port(worker.said, lambda: worker.process.poll() is None)
    # Its first cycle is that of the start.
    Browser(port).wait("/v1/monitors/stock", cycles=1, state="idle")
    yield port
    worker.stop()


def state(port):
    """What an attack could change: the runs, and how often the monitor has run."""
    browser = Browser(port)
    return [item["run"] for item in browser.get("/v1/runs").json["items"]], browser.get("/v1/monitors/stock").json["cycles"]


@pytest.fixture(autouse=True)
def unchanged(request):
    """After each attack on the open gateway: no run, no cycle, and it answers."""
    port = "gateway" in request.fixturenames and request.getfixturevalue("gateway")
    before = port and state(port)
    yield
    assert not port or (state(port) == before and Browser(port).get("/readyz").status == 200)


def exchange(port, *parts, head_only=False):
    """Sends bytes as they are, and returns what comes back until the gateway closes or falls silent after an answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        for part in parts:
            try:
                connection.sendall(part)
            except OSError:
                break
        received = b""
        while not head_only or b"\r\n\r\n" not in received:
            try:
                chunk = connection.recv(65536)
            except ConnectionError:
                break
            if not chunk:
                break
            received += chunk
        return received


def statuses(received):
    """The statuses of all answers on a connection."""
    return [int(line.split()[1]) for line in received.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]


RUN = b"POST /v1/pipelines/greet/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("path", ["/v1/pipelines/greet/runs", "/v1/topics/stock.x"])
def test_a_page_of_another_site_cannot_send_a_body_of_any_type(gateway, path, type):
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://localhost:{gateway}", "Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": f"http://127.0.0.1.evil.example:{gateway}"},
    ):
        reply = Browser(gateway).ask("POST", path, b"{}", Content_Type=type, **{k.replace("-", "_"): v for k, v in headers.items()})
        assert (reply.status, reply.json["code"]) == (403, "cross_site"), (headers, reply)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.nip.example", "0.0.0.0", ""])
def test_a_name_that_was_made_to_point_here_is_not_served(gateway, host):
    reply = Browser(gateway).ask("POST", "/v1/pipelines/greet/runs", b"{}", Host=host, Content_Type="application/json")
    assert reply.status in (400, 421), reply


def test_no_page_may_show_it_or_read_it(gateway):
    reply = Browser(gateway).get("/v1/worker", Origin="https://evil.example")
    assert "Access-Control-Allow-Origin" not in reply.headers
    assert reply.headers["X-Frame-Options"] == "DENY" and "frame-ancestors 'none'" in reply.headers["Content-Security-Policy"]
    assert reply.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    asked = Browser(gateway).ask("OPTIONS", "/v1/worker", Origin="https://evil.example", Access_Control_Request_Method="POST")
    assert asked.status in (403, 405) and "Access-Control-Allow-Origin" not in asked.headers


SMUGGLED = b"POST /v1/pipelines/greet/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 6\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 6\r\n",
        b"Content-Length: 6\r\nContent-Length: 5\r\n",
        b"Content-Length: +6\r\n",
        b"Content-Length: 0x6\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length: 6, 6\r\n",
        b"Content-Length: 99999999999999999999\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding : chunked\r\n",
        b"Transfer-Encoding:\x0bchunked\r\n",
        b"Content-Length : 6\r\n",
        b"X: 1\r\n Content-Length: 6\r\n",
        b"X: 1\nContent-Length: 6\r\n",
        b"X: \x00\r\n",
        b": 1\r\n",
        b"X Y: 1\r\n",
    ],
    ids=lambda head: head.decode("latin-1").strip().replace("\r\n", "|"),
)
def test_a_request_that_two_readers_could_read_in_two_ways_is_not_read(gateway, head):
    received = exchange(gateway, b"GET /v1/runs HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n0\r\n\r\nG" + SMUGGLED)
    assert set(statuses(received)) <= {200, 400, 408, 411, 413}, received[:300]
    assert b'"run":' not in received and b'"state":"accepted"' not in received


@pytest.mark.parametrize(
    "chunk",
    [
        b"zz\r\n{}\r\n0\r\n\r\n", b"ffffffffffffffff1\r\n{}\r\n0\r\n\r\n", b"-2\r\n{}\r\n0\r\n\r\n", b"2\r\n{}0\r\n\r\n",
        b"2\n{}\n0\n\n", b"2 ;\x00\r\n{}\r\n0\r\n\r\n",
    ],
)
def test_a_malformed_chunk_ends_the_request(gateway, chunk):
    received = exchange(gateway, RUN + b"Transfer-Encoding: chunked\r\n\r\n" + chunk)
    assert statuses(received) == [400], received[:300]


@pytest.mark.parametrize(
    "line",
    [
        b"post /v1/pipelines/greet/runs HTTP/1.1", b"GET /v1/pipelines/greet/runs HTTP/1.1",
        b"HEAD /v1/pipelines/greet/runs HTTP/1.1", b"PATCH /v1/pipelines/greet/runs HTTP/1.1",
        b"TRACE /v1/pipelines/greet/runs HTTP/1.1", b"CONNECT localhost:80 HTTP/1.1",
        b"PROPFIND /v1/pipelines/greet/runs HTTP/1.1", b"POST http:/v1/pipelines/greet/runs HTTP/1.1",
        b"POST //v1/pipelines/greet/runs HTTP/1.1", b"POST /v1/pipelines/greet/../greet/runs HTTP/1.1",
        b"POST /v1/pipelines/greet%2fruns HTTP/1.1", b"POST /v1/pipelines/greet/runs/ HTTP/1.1",
        b"POST /v1/pipelines/greet/runs; HTTP/1.1", b"POST /v1/pipelines/greet/runs%00 HTTP/1.1",
        b"POST /v1/pipelines/%67reet%00/runs HTTP/1.1", b"POST /v1\\pipelines\\greet\\runs HTTP/1.1",
        b"POST /v1/pipelines/greet/runs?as=root HTTP/1.1", b"POST /v1/pipelines/greet/runs?reply=result HTTP/1.1",
        b"POST /%2e%2e/v1/pipelines/greet/runs HTTP/1.1", b"POST * HTTP/1.1", b"POST /v1/pipelines/greet/runs",
        b"POST http://evil.example/v1/pipelines/greet/runs HTTP/1.1", b"POST /v1/pipelines/greet/runs HTTP/0.9", b"PRI * HTTP/2.0", b"", b"\x16\x03\x01\x02\x00\x01\x00",
    ],
)
def test_a_trick_with_method_or_path_reaches_nothing(gateway, line):
    rest = b"\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\nX-HTTP-Method-Override: POST\r\n\r\n{}"
    received = exchange(gateway, line + rest)
    assert all(status in (400, 404, 405, 421) for status in statuses(received)), received[:300]


def test_a_header_cannot_be_injected_into_an_answer(gateway):
    for index in range(3):
        Browser(gateway).post("/v1/gates/x.y/approve?keep_ms=1")
    for path in (
        "/v1/runs?limit=1&id=%0d%0aSet-Cookie:%20a=b", "/v1/%0d%0aSet-Cookie:%20a=b", "/v1/runs/%0d%0aSet-Cookie:%20a=b",
        "/v1/problems/%0d%0aSet-Cookie:%20a=b",
    ):
        reply = Browser(gateway).get(path)
        assert "Set-Cookie" not in reply.headers and b"\r\nSet-Cookie" not in reply.body
    received = exchange(gateway, RUN + b"Idempotency-Key: a\rb\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
    assert set(statuses(received)) <= {400}, received


@pytest.mark.parametrize(
    "head",
    [
        b"X: " + b"a" * 100_000 + b"\r\n",
        b"".join(b"X%d: a\r\n" % index for index in range(5_000)),
        b"Cookie: " + b"a=b; " * 20_000 + b"\r\n",
    ],
    ids=["long", "many", "cookies"],
)
def test_a_huge_header_is_not_read(gateway, head):
    received = exchange(gateway, b"GET /v1/runs HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n")
    assert set(statuses(received)) <= {400, 413, 431}, received[:200]


def test_a_long_path_is_not_read(gateway):
    received = exchange(gateway, b"GET /v1/runs/" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert set(statuses(received)) <= {400, 404, 413, 414, 431}, received[:200]


def test_a_huge_body_is_refused_before_it_is_read(gateway):
    received = exchange(gateway, RUN + b"Content-Length: 100000000\r\nExpect: 100-continue\r\n\r\n", head_only=True)
    assert statuses(received) == [413], received


def test_an_endless_body_is_refused(gateway):
    def chunks():
        yield RUN + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        for _ in range(20):
            yield b"20000\r\n" + b" " * 0x20000 + b"\r\n"
        yield b"0\r\n\r\n"

    received = exchange(gateway, *chunks())
    assert statuses(received) == [413], received[:200]


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000, b'{"a":' * 100_000, b"{" + b",".join(b'"%d":1' % index for index in range(100_000)) + b"}",
        b'{"name":"\xff\xfe"}', b'\xef\xbb\xbf{"name":"x"}', b'{"name":"x","name":"y"}', b'{"name":' + b"9" * 100_000 + b"}",
        b'{"name":"\\ud800"}', b'{"name":1e999}', b'{"name":"x"}{"name":"y"}', b"NaN", b"'x'", b'"text"', b"null",
        b'{"name":"' + b"\xcd\x81" * 50_000 + b'"}',
    ],
    ids=lambda body: body[:20].decode("latin-1"),
)
def test_json_that_is_a_trap_is_refused(gateway, body):
    reply = Browser(gateway).ask("POST", "/v1/pipelines/greet/runs", body, Content_Type="application/json")
    assert reply.status in (400, 413, 422), reply


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Idempotency-Key", "a b"), ("Idempotency-Key", ""), ("Idempotency-Key", "x" * 129), ("Idempotency-Key", '"a b"'),
        ("Idempotency-Key", "\xe4"), ("Content-Type", "application/jsonx"), ("Content-Type", "application/json, text/plain"),
    ],
)
def test_a_malformed_header_is_refused(gateway, header, value):
    headers = {"Content-Type": "application/json", header: value}
    reply = Browser(gateway).ask("POST", "/v1/pipelines/greet/runs", b'{"name":"x"}', **{k.replace("-", "_"): v for k, v in headers.items()})
    assert reply.status in (400, 415), reply


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("Prefer", "wait=-1"), ("Prefer", "wait=99999999999999999999"), ("Prefer", "wait"), ("Prefer", "=,;="),
        ("Last-Event-ID", "-1"), ("Last-Event-ID", "9" * 1000), ("Accept", "a/b;q=" + "9" * 1000), ("Range", "bytes=0-"),
        ("traceparent", "x" * 5000), ("traceparent", "\xff"), ("X-Forwarded-Host", "evil.example"), ("Accept-Encoding", "gzip;q=x"),
        ("If-None-Match", "*"), ("Upgrade", "websocket"), ("Connection", "upgrade, keep-alive"),
    ],
)
def test_an_odd_header_does_no_harm(gateway, header, value):
    reply = Browser(gateway).get("/v1/runs", **{header.replace("-", "_"): value})
    assert reply.status in (200, 400), reply


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """A gateway that wants a token, its token and its log."""
    directory = tmp_path_factory.mktemp("closed", numbered=True)
    worker = Worker(directory, YAML)
    gateway = Gateway(directory, worker.endpoint, ["--verbose"])
    yield gateway, (directory / "forgebus" / "http-token").read_text().strip()
    gateway.stop()
    worker.stop()


@pytest.mark.parametrize(
    "headers",
    [
        {}, {"Authorization": "Bearer"}, {"Authorization": "Bearer fbt_" + "A" * 43}, {"Authorization": "Basic YTpi"},
        {"Authorization": "Bearer {token},"}, {"Authorization": "{token}"}, {"Authorization": "Bearer {token} x"},
        {"Cookie": "token={token}"}, {"X-Api-Key": "{token}"}, {"Proxy-Authorization": "Bearer {token}"},
        {"X-Forwarded-User": "local"}, {"X-Forwarded-For": "127.0.0.1"}, {"Remote-User": "local"},
        {"Host": "localhost@evil.example", "Authorization": "Bearer {token}"},
    ],
)
def test_nobody_gets_in_without_the_token_in_its_place(closed, headers):
    gateway, token = closed
    named = {name.replace("-", "_"): value.replace("{token}", token) for name, value in headers.items()}
    for method, path in (("GET", "/v1/runs"), ("POST", "/v1/topics/stock.x"), ("GET", "/v1/openapi.json"), ("GET", "/nothing")):
        assert Browser(gateway.port).ask(method, path, **named).status in (401, 421)


def test_a_token_in_the_address_lets_nobody_in_and_is_not_logged(closed):
    gateway, token = closed
    for path in (f"/v1/runs?access_token={token}", f"/v1/runs?token={token}"):
        assert Browser(gateway.port).get(path).status == 401
        assert Browser(gateway.port, token).get(path).status == 400
    assert Browser(gateway.port, token).get("/v1/runs").status == 200
    assert token not in gateway.log.read_text()


def test_two_authorizations_are_not_one(closed):
    gateway, token = closed
    received = exchange(
        gateway.port,
        b"GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer x\r\n"
        + f"Authorization: Bearer {token}\r\n\r\n".encode(),
    )
    assert statuses(received) == [401], received


def test_two_hosts_are_not_one(closed):
    gateway, token = closed
    received = exchange(
        gateway.port,
        b"GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n"
        + f"Authorization: Bearer {token}\r\n\r\n".encode(),
    )
    assert set(statuses(received)) <= {400, 421}, received


def test_what_is_shown_cannot_become_a_page(closed):
    gateway, token = closed
    browser = Browser(gateway.port, token)
    markup = "<script>alert(1)</script>"
    shown = browser.post("/v1/pipelines/greet/runs", {markup: 1})
    assert markup in shown.json["detail"]
    assert shown.headers["Content-Type"] == "application/problem+json" and shown.headers["X-Content-Type-Options"] == "nosniff"
    refused = browser.get("/v1/runs/" + "%3Cscript%3E")
    assert refused.headers["Content-Type"] == "application/problem+json" and refused.headers["X-Content-Type-Options"] == "nosniff"
    assert json.loads(refused.body)["code"] == "bad_name"

"""A gateway that speaks TLS, and one behind a proxy that logs users in."""

import http.client
import signal
import socket
import ssl
import subprocess

import pytest

from gateway import Browser, Gateway
from worker import FORGEBUS, PATIENCE, Worker, keyed

ACCESS = """
principals:
  gateway: {{keys: ["{gateway}"], act_as: [read.ada, notify.ada, read.bob]}}
  ada: {{keys: ["{ada}"], read: [">"], notify: [">"]}}
  bob: {{keys: ["{bob}"]}}
"""


def certificate(directory, name, *, common="localhost"):
    """A certificate that signs itself, and its key."""
    pair = directory / f"{name}.pem", directory / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={common}", "-addext", "subjectAltName=DNS:localhost", "-out", pair[0], "-keyout", pair[1]],
        check=True, capture_output=True,
    )
    return pair


def shown(port, trusted, path="/livez", version=None):
    """The status at a path, and the name on the certificate."""
    context = ssl.create_default_context(cafile=trusted)
    if version:
        context.minimum_version = context.maximum_version = version
    connection = http.client.HTTPSConnection("localhost", port, timeout=PATIENCE, context=context)
    connection.request("GET", path)
    names = dict(part[0] for part in connection.sock.getpeercert()["subject"])
    return connection.getresponse().status, names["commonName"]


@pytest.fixture
def worker(directory):
    worker = Worker(directory, "worker: {store: memory}", store="memory")
    yield worker
    worker.kill()


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_a_gateway_with_a_certificate_speaks_tls_only(directory, worker):
    old, key = certificate(directory, "gateway", common="old")
    arguments = ["--tls-certificate", old, "--tls-key", key, "--host", "localhost"]
    gateway = Gateway(directory, worker.endpoint, arguments)
    assert shown(gateway.port, old) == (200, "old")
    with pytest.raises(ssl.SSLError):
        shown(gateway.port, old, version=ssl.TLSVersion.TLSv1_1)
    with pytest.raises((http.client.HTTPException, ConnectionError)):
        Browser(gateway.port).get("/livez")

    # A renewed certificate counts from the next connection on.
    renewed, new_key = certificate(directory, "renewed", common="new")
    trusted = directory / "trusted.pem"
    trusted.write_text(old.read_text() + renewed.read_text())
    old.write_text(renewed.read_text())
    key.write_text(new_key.read_text())
    gateway.process.send_signal(signal.SIGHUP)
    while shown(gateway.port, trusted)[1] != "new":
        pass

    # A file that is broken changes nothing.
    key.write_text("no key")
    gateway.process.send_signal(signal.SIGHUP)
    while "keeps its certificate" not in gateway.said():
        pass
    assert shown(gateway.port, trusted) == (200, "new")
    gateway.stop()


@pytest.mark.parametrize("broken, message", [("pem", "a certificate in PEM"), ("key", "a private key in PEM"), ("other", "does not belong")])
def test_a_gateway_without_a_usable_certificate_does_not_start(directory, worker, broken, message):
    pem, key = certificate(directory, "gateway")
    if broken == "pem":
        pem.write_text("nothing")
    elif broken == "key":
        key.unlink()
    else:
        _, key = certificate(directory, "other")
    command = [FORGEBUS, "gateway", "--endpoint", worker.endpoint, "--http", "0", "--tls-certificate", pem, "--tls-key", key]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, env={"XDG_RUNTIME_DIR": str(directory)}
    )
    assert ended.returncode == 69 and message in ended.stderr, ended


def private(path, text):
    path.write_text(text + "\n")
    path.chmod(0o600)
    return path


def test_a_trusted_proxy_names_the_sender(directory):
    keys, pairs = keyed(directory, ACCESS, "gateway", "ada", "bob")
    worker = Worker(directory, "worker: {store: memory}", store="memory", arguments=keys)
    gateway = Gateway(
        directory,
        worker.endpoint,
        ["--access", directory / "access.yaml", "--certificate", directory / "gateway.key_secret",
         "--server-key", directory / "worker.key", "--host", "forge.example",
         "--proxy-user-header", "X-Forwarded-User", "--proxy-secret-file", private(directory / "proxy.secret", "hunter2")],
    )
    browser = Browser(gateway.port)

    def listed(**headers):
        reply = browser.get("/v1/runs", Host="forge.example", X_Forwarded_For="192.0.2.1", **headers)
        return reply.status, reply.json.get("code")

    assert listed(X_Forwarded_User="ada", Forgebus_Proxy_Secret="hunter2") == (200, None)
    # The worker decides what each may do.
    assert listed(X_Forwarded_User="bob", Forgebus_Proxy_Secret="hunter2") == (403, "forbidden")
    assert listed(X_Forwarded_User="gateway", Forgebus_Proxy_Secret="hunter2") == (403, "forbidden")
    for headers in (
        {"X_Forwarded_User": "ada"},
        {"X_Forwarded_User": "ada", "Forgebus_Proxy_Secret": "hunter"},
        {"X_Forwarded_User": "ada", "Forgebus_Proxy_Secret": ""},
        {"Forgebus_Proxy_Secret": "hunter2"},
        {"X_Forwarded_User": "", "Forgebus_Proxy_Secret": "hunter2"},
        {"X_Forwarded_User": "ada@example.org", "Forgebus_Proxy_Secret": "hunter2"},
        {"X_Forwarded_User": "ada, bob", "Forgebus_Proxy_Secret": "hunter2"},
    ):
        assert listed(**headers) == (401, "unauthorized"), headers
    # A page of another site does not get further than without the proxy.
    reply = browser.post(
        "/v1/topics/a", b"", Host="forge.example", Origin="https://evil.example", X_Forwarded_User="ada",
        Forgebus_Proxy_Secret="hunter2",
    )
    assert (reply.status, reply.json["code"]) == (403, "cross_site")
    assert "hunter2" not in gateway.said()
    gateway.stop()
    worker.kill()


def manager(directory):
    """The socket of a service manager."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listening.bind(str(directory / "notify"))
    listening.settimeout(PATIENCE)
    return listening


def test_a_service_manager_hears_when_the_gateway_listens_and_stops(directory, worker):
    listening = manager(directory)
    gateway = Gateway(directory, worker.endpoint, environment={"NOTIFY_SOCKET": str(directory / "notify")})
    assert listening.recv(4096).decode().startswith("READY=1\n")
    gateway.stop()
    assert listening.recv(4096) == b"STOPPING=1"


def test_a_service_manager_hears_again_and_again_that_the_worker_turns(directory):
    listening = manager(directory)
    environment = {"NOTIFY_SOCKET": str(directory / "notify"), "WATCHDOG_USEC": "100000"}
    worker = Worker(directory, "worker: {store: memory}", store="memory", environment=environment)
    heard = [listening.recv(4096) for _ in range(5)]
    assert sorted(heard)[1:] == [b"WATCHDOG=1"] * 4 and any(word.startswith(b"READY=1") for word in heard), heard
    worker.stop()

"""A fleet in networks of its own: one that is cut off, and one that loses packets."""

import ctypes
import os
import subprocess

import pytest

from gateway import Browser, Gateway
from test_fleet import Fleet
from worker import Worker

NAMES = ["web-01", "web-02", "web-03", "web-04"]
NEW_NETWORK = 0x40000000
LOSS = "numgen random mod 100 < 5 drop"


def in_kernel(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def set_up(*words, text=None):
    subprocess.run(words, input=text, text=True, check=True, capture_output=True)


class Host(Worker):
    """A worker on a host of its own, which a cable connects with this one."""

    def __init__(self, home, configuration, arguments):
        number = NAMES.index(home.name) + 1
        # It ends when its standard input does.
        wait = ["unshare", "--net", "sh", "-c", "echo; read end"]
        self.host = subprocess.Popen(wait, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.host.stdout.readline()
        set_up("ip", "link", "add", "name", f"host{number}", "type", "veth", "peer", "name", "wire", "netns", str(self.host.pid))
        set_up("ip", "address", "add", f"10.0.{number}.1/24", "dev", f"host{number}")
        set_up("ip", "link", "set", f"host{number}", "up")
        set_up(*self.inside, "ip", "address", "add", f"10.0.{number}.2/24", "dev", "wire")
        for device in ("wire", "lo"):
            set_up(*self.inside, "ip", "link", "set", device, "up")
        super().__init__(home, configuration, arguments=arguments, endpoint=f"tcp://10.0.{number}.2:7717")

    @property
    def inside(self):
        return ["nsenter", "--net", "--target", str(self.host.pid)]

    def spawn(self, command, log):
        return super().spawn([*self.inside, *command], log)

    def filter(self, rule):
        """Puts each packet that comes or goes to a rule, in place of an earlier one."""
        chains = "".join(f"chain {way} {{ type filter hook {way} priority 0; {rule}; }}\n" for way in ("input", "output"))
        set_up(*self.inside, "nft", "-f", "-", text=f"flush ruleset\ntable inet wire {{\n{chains}}}\n")

    def kill(self):
        super().kill()
        self.host.communicate()


@pytest.fixture
def fleet(directory):
    """Four workers, each on a host of its own, and this process in a network of its own meanwhile."""
    kernel = ctypes.CDLL(None, use_errno=True)
    with open("/proc/thread-self/ns/net") as before:
        try:
            in_kernel(kernel.unshare(NEW_NETWORK))
            set_up("ip", "link", "set", "lo", "up")
            set_up("nft", "-f", "-", text=f"table inet wire {{ chain input {{ type filter hook input priority 0; {LOSS}; }}; }}\nflush ruleset\n")
            set_up("ip", "link", "add", "name", "one", "type", "veth", "peer", "name", "other")
        except (OSError, subprocess.CalledProcessError) as error:
            in_kernel(kernel.setns(before.fileno(), NEW_NETWORK))
            pytest.skip(f"this machine does not let a test have networks of its own: {error}")
        made = None
        try:
            made = Fleet(directory, NAMES, make=Host)
            yield made
        finally:
            if made:
                made.stop()
            in_kernel(kernel.setns(before.fileno(), NEW_NETWORK))


def known(browser, metric):
    """The gateway's own knowledge, by state; states in which nobody is are left out."""
    lines = [line for line in browser.get("/metrics").body.decode().splitlines() if line.startswith(metric + "{")]
    values = {line.split('state="')[1].split('"')[0]: int(line.split()[-1]) for line in lines}
    return {state: value for state, value in values.items() if value}


def test_a_worker_that_is_cut_off_is_silent_and_back_asked_again_and_never_converged_meanwhile(directory, fleet):
    keys = ["--certificate", directory / "gateway.key_secret", "--access", directory / "access.yaml"]
    gateway = Gateway(directory, None, ["--fleet", directory / "fleet.yaml", "--fleet-reader", "operator", *keys])
    try:
        browser = Browser(gateway.port, fleet.token)
        while known(browser, "forgebus_fleet_workers") != {"here": 4}:
            pass
        assert browser.post("/v1/fleet/topics/policy.age", Prefer="wait=60").json["counts"] == {"converged": 4}
        cut = fleet.workers["web-03"]
        cut.filter("drop")
        (directory / "policy").write_text("20\n")
        (directory / "web-03" / "age").write_text("10\n")
        asked = browser.post("/v1/fleet/topics/policy.age", Prefer="wait=5").json
        assert asked["counts"] == {"failed": 3, "silent": 1}
        while known(browser, "forgebus_fleet_workers") != {"here": 3, "silent": 1}:
            # Its latest cycle went well, but before the change.
            assert "converged" not in known(browser, "forgebus_fleet_monitors")
        said = browser.get("/v1/fleet/monitors").json["items"]
        assert [item["reason"] for item in said if item["state"] == "silent"][0].startswith("it has not answered 3 pings")
        cut.filter("accept")
        while known(browser, "forgebus_fleet_monitors") != {"failed": 3, "converged": 1}:
            pass
        assert known(browser, "forgebus_fleet_workers") == {"here": 4}
    finally:
        gateway.stop()


def test_everybody_converges_though_one_packet_of_twenty_is_lost_each_way(fleet):
    for worker in fleet.workers.values():
        worker.filter(LOSS)
    for _ in range(20):
        assert fleet.ask("notify", "policy.password-age", "--patience", "100s")[::2] == (0, {"converged": 4})

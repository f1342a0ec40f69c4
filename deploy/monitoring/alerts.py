"""The alerts of ForgeBus, from which `generate` makes `alerts.yaml`.

Each needs a person. A critical alert calls one at any hour; a warning waits for working hours.
"""

import textwrap
from typing import NamedTuple

CRITICAL, WARNING = "critical", "warning"
AT = "{{ $labels.instance }}"


class Alert(NamedTuple):
    name: str
    severity: str
    # How long the expression must hold. It is zero if the expression itself looks back.
    lasts: str
    expression: str
    summary: str
    # The cause and the next move.
    description: str


# The worker and its gateway.
WORKER = [
    # A restart takes about a minute: `drain` and `cancel_grace` are 30 seconds each.
    Alert(
        "ForgeBusUnreachable", CRITICAL, "3m", 'up{job="forgebus"} == 0',
        f"{AT}: Prometheus cannot read the metrics.",
        "The gateway does not run, the worker does not answer the gateway, or the token is refused. "
        "Call the address with `curl -i`. No connection: start the gateway. 401 or 403: check the token, and the "
        "rights of its principal. 503 or 504: run `forgebus status`.",
    ),
    # Without a target, `up` has no value. Prometheus may need a few minutes to find its targets after its own start.
    Alert(
        "ForgeBusMissing", CRITICAL, "10m", 'absent(up{job="forgebus"})',
        "Prometheus has no target with the job forgebus.",
        "Without a target, no other alert of ForgeBus can come. Check `scrape_configs` in the file of Prometheus.",
    ),
    Alert(
        "ForgeBusNotReady", CRITICAL, "5m", "forgebus_worker_ready == 0",
        f"{AT}: the worker is not ready.",
        "The worker starts or drains, and does not accept new work. `forgebus status` shows which. If it drains, "
        "`forgebus list runs --state running` shows the runs for which it waits. If it starts, read its log.",
    ),
    # One restart is an upgrade, two are an upgrade with a correction.
    Alert(
        "ForgeBusRestarts", WARNING, "0m", "resets(forgebus_uptime_seconds[1h]) >= 3",
        f"{AT}: the worker has restarted three times within an hour.",
        "The worker crashes, or somebody stops it. `journalctl -u forgebus` shows why it ended. A run whose action "
        "crashes the worker again and again is parked: `forgebus list runs --state parked`.",
    ),
    Alert(
        "ForgeBusGatewayErrors", CRITICAL, "10m",
        'sum without (status) (rate(forgebus_gateway_requests_total{status="5xx"}[5m]))'
        " > 0.05 * sum without (status) (rate(forgebus_gateway_requests_total[5m]))",
        f"{AT}: the gateway answers with errors.",
        "The worker does not answer the gateway, or its store has failed. Run `forgebus status`. The body of such an "
        "answer has a `code`; `/v1/problems/CODE` of the gateway explains it.",
    ),
    # The mean time of requests does not show this, because requests may wait for the end of a run. Prometheus does not.
    Alert(
        "ForgeBusGatewaySlow", WARNING, "5m", 'avg_over_time(scrape_duration_seconds{job="forgebus"}[10m]) > 1',
        f"{AT}: the gateway is slow.",
        "The gateway needs more than a second for the metrics. Look at the load of its machine. `forgebus ping` shows "
        "whether the worker is slow, too.",
    ),
]  # fmt: skip

# The checks of the worker, and its work.
WORK = [
    Alert(
        "ForgeBusDiskShort", CRITICAL, "5m", 'forgebus_check_ok{check="disk"} == 0',
        f"{AT}: the disk of the store is nearly full.",
        "The worker refuses new runs, early decisions and backups. Runs that have started continue. Free disk space. "
        "`forgebus store stats` shows what the store keeps; `store_limits` in the worker file limits it.",
    ),
    # A slow disk is not slow at each moment, so half of the time is enough.
    Alert(
        "ForgeBusStoreSlow", WARNING, "5m", 'avg_over_time(forgebus_check_ok{check="store"}[15m]) < 0.5',
        f"{AT}: commits take longer than a second.",
        "Each answer waits for its commit. Look for errors of the disk in the log of the system, and for other "
        "programs that use the disk. `forgebus status` shows since when the present commit waits.",
    ),
    # Clients send a refused request again, so a short burst needs nobody. The check `backlog` would miss most bursts.
    Alert(
        "ForgeBusBacklogFull", CRITICAL, "10m",
        "rate(forgebus_refused_backlog_total[5m]) > 0.05 * rate(forgebus_received_total[5m])",
        f"{AT}: the worker refuses requests until its store has caught up.",
        "More changes come in than the store can commit. `forgebus status` shows whether the disk is slow. If it is "
        "not, `forgebus list runs --newest` shows what came in.",
    ),
    # The number of failing monitors includes only those that the token may read; the check includes all.
    Alert(
        "ForgeBusMonitorsFailing", WARNING, "15m", 'forgebus_check_ok{check="monitors"} == 0',
        f"{AT}: monitors fail.",
        "The latest cycle of at least one monitor failed. `forgebus status` shows which monitors, and why. "
        "`forgebus explain MONITOR` shows what happened before.",
    ),
    # These runs report problems to people, so nobody else reports that they fail.
    Alert(
        "ForgeBusEventsFailing", CRITICAL, "5m", 'forgebus_check_ok{check="events"} == 0',
        f"{AT}: runs for events fail.",
        "The runs that `on` in the worker file requests fail, so people may not learn of gates and failures. "
        "`forgebus status` shows the pipeline and its latest run. `forgebus logs RUN` shows what its actions printed.",
    ),
    # For checks that a later worker adds.
    Alert(
        "ForgeBusCheckFailing", WARNING, "15m", 'forgebus_check_ok{check!~"backlog|disk|events|monitors|store"} == 0',
        AT + ": the check {{ $labels.check }} has found a problem.",
        "`forgebus status -o json` shows the checks. The log of the worker has a line about each problem.",
    ),
    Alert(
        "ForgeBusRequestedRunsWait", WARNING, "15m", "forgebus_requested_runs > 0",
        f"{AT}: requested runs do not begin.",
        "Monitors or events have requested runs that the limits do not allow yet. `forgebus list runs --state queued` "
        "shows what waits before them, `forgebus status` the pauses, and `forgebus hello` the limits.",
    ),
    # Work on another system may need a pause of hours. After a day, it is probably forgotten.
    Alert(
        "ForgeBusPauseForgotten", WARNING, "24h", "forgebus_paused > 0",
        f"{AT}: a pipeline or monitor has been paused for a day.",
        "`forgebus status` shows who paused it, and why. End the pause with `forgebus resume pipeline NAME` or "
        "`forgebus resume monitor NAME`.",
    ),
    # Each client that ends early loses an answer. So the alert needs one answer of 20, and 20 answers.
    Alert(
        "ForgeBusAnswersLost", WARNING, "15m",
        "rate(forgebus_answers_lost_total[15m]) > 0.05 * rate(forgebus_received_total[15m])"
        " and increase(forgebus_answers_lost_total[15m]) > 20",
        f"{AT}: many answers are lost.",
        "Clients end or lose their connections before their answers come, or do not read them. Accepted work is not "
        "lost: the same request with the same id gets its answer. Check the network, and how long the clients wait.",
    ),
]  # fmt: skip

# Senders. A person makes a few mistakes. A program repeats them, and makes more than 10 or 20 within 15 minutes.
SENDERS = [
    Alert(
        "ForgeBusForbidden", WARNING, "0m", "increase(forgebus_forbidden_total[15m]) > 20",
        f"{AT}: many requests are forbidden.",
        "A program does not have all the rights that it needs, or somebody tries out what is allowed. "
        "`forgebus audit export` shows the principals and the missing rights. Grant the right in the access file, or "
        "remove the key.",
    ),
    Alert(
        "ForgeBusKeysRefused", WARNING, "0m", "increase(forgebus_keys_refused_total[15m]) > 10",
        f"{AT}: connections with unknown keys are refused.",
        "The key of a program is not in the access file, or a stranger tries to connect. The log of the worker has the "
        "key, as `audit: key refused`. Add the key to the access file, or keep strangers from the port.",
    ),
    # Somebody removed this key on purpose, so one message is enough.
    Alert(
        "ForgeBusRemovedKeyUsed", WARNING, "0m", "increase(forgebus_unknown_keys_total[1h]) > 0",
        f"{AT}: a program still uses a removed key.",
        "The worker does not read its messages. The log of the worker has the key, as `audit: key unknown`. Give the "
        "program its new key. If the key was stolen, find the machine that uses it.",
    ),
    # Critical because a key that somebody removes may be a stolen one. The counter does not show that the file is
    # corrected, so the alert ends an hour later.
    Alert(
        "ForgeBusAccessFileInvalid", CRITICAL, "0m", "increase(forgebus_access_kept_total[1h]) > 0",
        f"{AT}: the new access file is invalid.",
        "The worker keeps its present rights. So keys that the new file removes still work. "
        "`forgebus access check FILE` shows the error. Correct the file, and send SIGHUP to the worker again.",
    ),
    Alert(
        "ForgeBusMalformed", WARNING, "0m",
        "increase(forgebus_malformed_total[15m]) + increase(forgebus_foreign_total[15m]) > 10",
        f"{AT}: the worker gets messages that it cannot read.",
        "A program sends malformed messages, or does not speak the protocol. It gets an error that says what is "
        "wrong. Read the logs of the programs that connect to the worker, beginning with the newest version.",
    ),
    # After a restart of the worker, all clients of an address connect at once. That is over within minutes.
    Alert(
        "ForgeBusConnectionsRefused", WARNING, "10m", "rate(forgebus_connections_postponed_total[5m]) > 0",
        f"{AT}: too many connections come from one address.",
        "The log of the worker has the address, as `more new connections per minute`. Stop the program that connects "
        "again and again. If many clients share the address, raise `connections_per_minute` in the worker file.",
    ),
    Alert(
        "ForgeBusPublicationGaps", WARNING, "0m", "increase(forgebus_publication_gaps_total[15m]) > 10",
        f"{AT}: published messages are lost.",
        "A publisher sends faster than the worker reads, or the network loses messages. Each gap causes a cycle of "
        "every monitor. Publish less, or send what must not be lost with `forgebus notify TOPIC`.",
    ),
    # A publisher gets no error, so only this shows its mistake, even if it publishes once an hour.
    Alert(
        "ForgeBusPublicationsRefused", WARNING, "0m", "increase(forgebus_publications_refused_total[6h]) > 3",
        f"{AT}: published messages have no effect.",
        "The messages are malformed, or their publisher has no right `notify` for the topic. `forgebus audit export` "
        "shows a missing right. Grant it in the access file, or correct the publisher.",
    ),
]  # fmt: skip

# The fleet of a gateway. Its metrics name no machine; the page Fleet does.
FLEET = [
    Alert(
        "ForgeBusFleetSilent", WARNING, "10m", 'sum without (state) (forgebus_fleet_workers{state!="here"}) > 0',
        AT + ": {{ $value }} workers of the fleet do not answer as they should.",
        "They are silent, or their endpoint has another key, another worker or an older one, or they refuse the key of "
        "the gateway. The page Fleet names each of them and says why. Start the worker, or correct the inventory.",
    ),
    Alert(
        "ForgeBusFleetFailing", WARNING, "15m",
        'sum without (state) (forgebus_fleet_monitors{state=~"failed|overdue"}) > 0',
        AT + ": the monitor {{ $labels.monitor }} fails on {{ $value }} workers of the fleet.",
        "The latest cycle of the monitor failed, or took too long. The page Fleet names the workers and the reason of "
        "each. After the remedy, notify the topic of the monitor, so that it evaluates again.",
    ),
    # Monitors of a fleet have an interval, of minutes or hours.
    Alert(
        "ForgeBusFleetStale", WARNING, "15m", "forgebus_fleet_oldest_evaluation_seconds > 86400",
        AT + ": a worker has not evaluated the monitor {{ $labels.monitor }} for more than a day.",
        "A worker that answers has not run a cycle of the monitor, so its state may be out of date. Give the monitor "
        "an `interval` in the worker file, or press Evaluate everywhere on the page Fleet.",
    ),
]  # fmt: skip

GROUPS = {"forgebus worker": WORKER, "forgebus work": WORK, "forgebus senders": SENDERS, "forgebus fleet": FLEET}


def expressions():
    return [alert.expression for members in GROUPS.values() for alert in members]


def text():
    """The file that Prometheus reads."""
    lines = ["# deploy/monitoring/generate writes this file: change alerts.py.", "groups:"]
    for group, members in GROUPS.items():
        lines += [f"  - name: {group}", "    rules:", *(line for alert in members for line in rule(alert))]
    return "\n".join(lines) + "\n"


def rule(alert):
    return [
        f"      - alert: {alert.name}",
        f"        expr: {quoted(alert.expression)}",
        f"        for: {alert.lasts}",
        f"        labels: {{severity: {alert.severity}}}",
        "        annotations:",
        f"          summary: {quoted(alert.summary)}",
        "          description: >-",
        *(" " * 12 + line for line in textwrap.wrap(alert.description, 100, break_on_hyphens=False)),
    ]


def quoted(text):
    return "'" + text.replace("'", "''") + "'"

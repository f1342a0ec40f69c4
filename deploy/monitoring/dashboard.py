"""The dashboard for Grafana: which metrics it shows, and as what.

`metrics` are those of /metrics by their names, each with its kind, its help and its label.
"""

import json
from typing import NamedTuple

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
# The dashboard shows one instance: several gateways of one worker would all show the numbers of this worker.
SELECTOR = 'job="$job",instance="$instance"'


class Panel(NamedTuple):
    """Shows the values of gauges and the rates of counters."""

    title: str
    # Names of metrics; a name may have matchers.
    metrics: tuple
    width: int = 8
    kind: str = "timeseries"
    unit: str = "short"
    # What stands for 0, and what for 1.
    words: tuple = ()
    # Whether a number other than 0 is orange.
    warns: bool = False
    # Whether the panel shows the first rate divided by the second.
    divides: bool = False


def stat(title, metric, **options):
    return Panel(title, (metric,), 4, "stat", **options)


def chart(title, *names, **options):
    return Panel(title, tuple(f"forgebus_{name}" for name in names), **options)


ROWS = {
    "Is it well": [
        stat("Gateway", "up", words=("no answer", "answers")),
        stat("Worker", "forgebus_worker_ready", words=("not ready", "ready")),
        stat("Version", "forgebus_worker_info"),
        stat("Uptime", "forgebus_uptime_seconds", unit="s"),
        stat("Failing monitors", "forgebus_monitors_failing", warns=True),
        stat("Paused", "forgebus_paused", warns=True),
        chart("Checks", "check_ok", width=16, kind="state-timeline", words=("problem", "ok")),
        chart("Monitors", "monitors", "monitors_failing"),
    ],
    "Work": [
        chart("Unfinished runs", 'runs{doing!="ended"}'),
        chart("Waiting signals and requested runs", "signals_waiting", "requested_runs"),
        chart("Kept runs and answers", 'runs{doing="ended"}', "requests_kept"),
    ],
    "Traffic": [
        chart("Messages and answers", "received_total", "answered_total", width=12),
        chart("Connections", "connections", width=12),
    ],
    "Refused and lost": [
        chart(
            "Busy",
            "refused_backlog_total", "refused_store_total", "refused_outstanding_total", "connections_postponed_total",
        ),
        chart("Answers", "answers_delayed_total", "answers_lost_total"),
        chart("Unreadable messages", "malformed_total", "foreign_total"),
        chart("Rights", "forbidden_total"),
        chart("Keys", "keys_refused_total", "unknown_keys_total", "previous_key_uses_total"),
        chart("Access file", "access_replaced_total", "access_kept_total"),
    ],
    "Publications": [
        chart("Published messages", "publications_total", "publications_covered_total", "publications_refused_total"),
        chart("Gaps", "publication_gaps_total"),
        chart(
            "New publishers and connections",
            "publisher_lives_total", "publication_reconnects_total", "publisher_handshakes_failed_total",
        ),
    ],
    "Fleet": [
        chart("Workers of the fleet", "fleet_workers"),
        chart("Workers on which a monitor fails", 'fleet_monitors{state=~"failed|overdue"}'),
        chart(
            "Share of monitors that are as they should be",
            'fleet_monitors{state=~"converged|ok"}', "fleet_monitors", unit="percentunit", divides=True,
        ),
        chart("Oldest evaluation", "fleet_oldest_evaluation_seconds", width=24, unit="s"),
    ],
    "Gateway": [
        chart("Requests", "gateway_requests_total", width=12),
        chart(
            "Mean time of a request, with waits", "gateway_request_seconds_total", "gateway_requests_total",
            width=12, unit="s", divides=True,
        ),
        chart("Connections", "gateway_connections", width=12),
        chart("Connections turned away", "gateway_connections_turned_away_total", width=12),
    ],
}  # fmt: skip


def queries():
    """All metrics of all panels, some with matchers."""
    return [metric for panels in ROWS.values() for panel in panels for metric in panel.metrics]


def text(metrics):
    """The file that Grafana imports."""
    content = {
        "uid": "forgebus",
        "title": "ForgeBus",
        "tags": ["forgebus"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "graphTooltip": 1,
        "templating": {
            "list": [
                {"name": "datasource", "label": "data source", "type": "datasource", "query": "prometheus"},
                variable("job", "label_values(forgebus_worker_info, job)"),
                variable("instance", 'label_values(forgebus_worker_info{job="$job"}, instance)'),
            ]
        },
        "panels": placed(metrics),
    }
    return json.dumps(content, indent=2) + "\n"


def variable(name, query):
    # Its values are those of the time range, so that a gateway that has stopped is still among them.
    when = {"refresh": 2, "sort": 1}
    return {"name": name, "type": "query", "datasource": DATASOURCE, "query": query, "definition": query, **when}


def placed(metrics):
    """The panels of all rows, each with its number and its place on a grid of 24 columns."""
    panels, y = [], 0

    def place(panel, x, width, height):
        panels.append({"id": len(panels) + 1, "gridPos": {"x": x, "y": y, "w": width, "h": height}, **panel})

    for row, members in ROWS.items():
        place({"type": "row", "title": row, "collapsed": False, "panels": []}, 0, 24, 1)
        x, y, height = 0, y + 1, 0
        for panel in members:
            if x + panel.width > 24:
                x, y = 0, y + height
            height = 4 if panel.kind == "stat" else 8
            place(content(panel, metrics), x, panel.width, height)
            x += panel.width
        y += height
    return panels


def content(panel, metrics):
    names = list(dict.fromkeys(name_of(metric) for metric in panel.metrics))
    is_rate = all(metrics[name].kind == "counter" for name in names) and not panel.divides
    return {
        "type": panel.kind,
        "title": panel.title,
        "description": "\n\n".join(f"`{name}`: {metrics[name].help}" for name in names),
        "datasource": DATASOURCE,
        "targets": targets(panel, metrics),
        "fieldConfig": {"defaults": defaults(panel, "cps" if is_rate else panel.unit), "overrides": []},
        "options": options(panel, metrics),
    }


def name_of(metric):
    return metric.partition("{")[0]


def targets(panel, metrics):
    queries = [(expression(metric, metrics), legend(metric, metrics)) for metric in panel.metrics]
    if panel.divides:
        queries = [(" / ".join(f"sum({rate})" for rate, _ in queries), "share" if panel.unit == "percentunit" else "mean")]
    # A single number is the latest one.
    times = {"instant": panel.kind == "stat", "range": panel.kind != "stat"}
    return [
        {"refId": "ABCDEF"[index], "datasource": DATASOURCE, "expr": query, "legendFormat": name, **times}
        for index, (query, name) in enumerate(queries)
    ]


def expression(metric, metrics):
    name, _, matchers = metric.rstrip("}").partition("{")
    selected = f"{name}{{{','.join(filter(None, [SELECTOR, matchers]))}}}"
    return f"rate({selected}[$__rate_interval])" if metrics[name].kind == "counter" else selected


def legend(metric, metrics):
    name = name_of(metric)
    if label := metrics[name].label:
        return "{{" + label + "}}"
    return name.removeprefix("forgebus_").removesuffix("_total").replace("_", " ")


def defaults(panel, unit):
    """The unit, the colours and the words for the values of a panel."""
    steps = [{"color": "green", "value": None}] + [{"color": "orange", "value": 1}] * panel.warns
    words = {
        str(value): {"index": value, "text": word, "color": ("red", "green")[value]}
        for value, word in enumerate(panel.words)
    }
    mappings = [{"type": "value", "options": words}] if words else []
    return {"unit": unit, "min": 0, "mappings": mappings, "thresholds": {"mode": "absolute", "steps": steps}}


def options(panel, metrics):
    below = {"displayMode": "list", "placement": "bottom", "showLegend": True}
    if panel.kind == "timeseries":
        return {"legend": below, "tooltip": {"mode": "multi", "sort": "desc"}}
    if panel.kind == "state-timeline":
        return {"legend": below, "mergeValues": True, "showValue": "never"}
    # The version is a label; its value says nothing.
    shown = "name" if metrics[name_of(panel.metrics[0])].label else "auto"
    return {"textMode": shown, "graphMode": "none", "reduceOptions": {"calcs": ["lastNotNull"], "values": False}}

/// A metric of a worker for monitoring systems; its values come from the answer to SHOW of the kind `worker`.
///
/// This is the one list of metrics: gateways show it to Prometheus, and workers feed it to swift-metrics.
package struct WorkerMetric: Sendable {
    package enum Kind: String, Sendable {
        case gauge, counter
    }

    /// The name, with its base unit.
    package let name: String
    package let kind: Kind
    /// What the metric counts, in one sentence.
    package let help: String
    /// Reads the values from the worker's answer to SHOW, each with its label, if it has one.
    ///
    /// If there are no values, the metric is left out.
    package let values: @Sendable (JSONObject) -> [Value]

    package struct Value: Sendable {
        package var label: (name: String, value: String)?
        package let number: Double

        package init(_ number: Double) { self.number = number }

        package init(_ number: Double, _ name: String, _ value: String) {
            self.number = number
            label = (name, value)
        }
    }
}

extension WorkerMetric {
    /// All metrics of a worker; `Metrics.md` lists them.
    package static let all: [WorkerMetric] = states + numbers + counters

    private static let states = [
        WorkerMetric(name: "forgebus_worker_info", kind: .gauge, help: "1, with the version of the worker's program.") {
            [Value(1, "version", $0["version"]?.string ?? "")]
        },
        WorkerMetric(
            name: "forgebus_worker_ready",
            kind: .gauge,
            help: "1 if the worker accepts all requests, otherwise 0."
        ) {
            [Value($0["state"]?.string == "ready" ? 1 : 0)]
        },
        WorkerMetric(name: "forgebus_uptime_seconds", kind: .gauge, help: "How long the worker has run.") {
            ($0["uptime_ms"]?.number).map { [Value($0 / 1000)] } ?? []
        },
        WorkerMetric(name: "forgebus_check_ok", kind: .gauge, help: "1 if the check has found no problem, otherwise 0.")
        {
            ($0["checks"]?.object?.entries ?? []).map { Value($0.value.string == "ok" ? 1 : 0, "check", $0.key) }
        },
        WorkerMetric(name: "forgebus_monitors_failing", kind: .gauge, help: "Monitors whose latest cycle failed.") {
            [Value(Double($0["failing"]?.array?.count ?? 0))]
        },
        WorkerMetric(name: "forgebus_paused", kind: .gauge, help: "Pipelines and monitors that are paused.") {
            [Value(Double($0["paused"]?.array?.count ?? 0))]
        },
    ]

    private static let numbers = [
        WorkerMetric(name: "forgebus_runs", kind: .gauge, help: "Runs, by what they do.") {
            ($0["runs"]?.object?.entries ?? []).map { Value($0.value.number ?? 0, "doing", $0.key) }
        },
        number("signals", "forgebus_signals_waiting", "Signals and gates that wait."),
        number("requests", "forgebus_requests_kept", "Requests whose answers the worker keeps for some time."),
        number("monitors", "forgebus_monitors", "Monitors of the worker."),
        number("connections", "forgebus_connections", "Open connections to the worker."),
        number(
            "requested_runs",
            "forgebus_requested_runs",
            "Runs that monitors or events requested, and that have not begun."
        ),
    ]

    private static func number(_ key: String, _ name: String, _ help: String) -> WorkerMetric {
        WorkerMetric(name: name, kind: .gauge, help: help) { [Value($0[key]?.number ?? 0)] }
    }

    private static let counters = WorkerCounter.allCases.map { counter in
        WorkerMetric(name: "forgebus_\(counter.name)_total", kind: .counter, help: counter.help) { worker in
            (worker["counters"]?.object?[counter.name]?.number).map { [Value($0)] } ?? []
        }
    }
}

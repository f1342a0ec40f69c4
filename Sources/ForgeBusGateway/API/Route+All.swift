import ForgeBusProtocol

extension Route {
    /// Every route of the API to one worker, in the order of the OpenAPI document.
    static let all: [Route] = topics + pipelines + runs + gates + signals + monitors + reading

    /// The routes of a gateway.
    static func all(withFleet hasFleet: Bool) -> [Route] { hasFleet ? all + fleet : all }

    private static let topics = [
        Route(
            method: .post,
            path: "/v1/topics/{topic}",
            name: "notify",
            summary: "Reports a change, so that the monitors that follow the topic run again.",
            verb: "NOTIFY",
            subject: "{topic}",
            query: ["durability"],
            body: .change,
            answer: .change
        )
    ]

    private static let pipelines = [
        Route(
            method: .get,
            path: "/v1/pipelines",
            name: "listPipelines",
            summary: "Lists the pipelines.",
            verb: "LIST",
            subject: "pipelines",
            query: ["limit", "cursor", "id"],
            answer: .page(kind: nil)
        ),
        Route(
            method: .get,
            path: "/v1/pipelines/{pipeline}",
            name: "showPipeline",
            summary: "Shows a pipeline with its actions.",
            verb: "SHOW",
            subject: "pipeline/{pipeline}"
        ),
        Route(
            method: .post,
            path: "/v1/pipelines/{pipeline}/runs",
            name: "run",
            summary: "Runs a pipeline; the body has the seeds.",
            verb: "RUN",
            subject: "{pipeline}",
            query: ["deadline_ms", "durability"],
            fixed: ["reply": "accepted"],
            body: .seeds,
            answer: .run
        ),
        pause("pipeline"), resume("pipeline"),
    ]

    private static let runs = [
        Route(
            method: .get,
            path: "/v1/runs",
            name: "listRuns",
            summary: "Lists the unfinished runs, and the ended runs that the worker still keeps.",
            verb: "LIST",
            subject: "runs",
            query: ["limit", "cursor", "order", "state", "pipeline", "principal", "older_than_ms", "id"],
            answer: .page(kind: nil)
        ),
        Route(
            method: .get,
            path: "/v1/runs/{run}",
            name: "showRun",
            summary: "Shows a run, or streams its changes until it ends, with the header `Accept: text/event-stream`.",
            verb: "SHOW",
            subject: "run/{run}",
            answer: .followedRun
        ),
        Route(
            method: .get,
            path: "/v1/runs/{run}/output",
            name: "showOutput",
            summary: "Shows what the actions of a run printed.",
            verb: "SHOW",
            subject: "output/{run}",
            query: ["action"]
        ),
        Route(
            method: .post,
            path: "/v1/runs/{run}/cancel",
            name: "cancelRun",
            summary: "Cancels a run.",
            verb: "CANCEL",
            subject: "{run}",
            query: ["durability"],
            body: .member("reason")
        ),
        Route(
            method: .post,
            path: "/v1/runs/{run}/redrive",
            name: "redriveRun",
            summary: "Resumes a parked run at the action where it stopped.",
            verb: "REDRIVE",
            subject: "{run}",
            query: ["durability"]
        ),
    ]

    private static let gates = [
        Route(
            method: .get,
            path: "/v1/gates",
            name: "listGates",
            summary: "Lists the gates that wait for a decision.",
            verb: "LIST",
            subject: "signals",
            query: ["limit", "cursor", "order", "pipeline", "principal", "older_than_ms", "id"],
            answer: .page(kind: "gate")
        ),
        Route(
            method: .get,
            path: "/v1/gates/{gate}",
            name: "showGate",
            summary: "Shows a gate: what it asks, who may decide it, and its votes.",
            verb: "SHOW",
            subject: "signal/{gate}"
        ),
        Route(
            method: .post,
            path: "/v1/gates/{gate}/approve",
            name: "approve",
            summary: "Approves a gate, with the values that the gate expects.",
            verb: "COMPLETE",
            subject: "{gate}",
            query: ["keep_ms", "durability"],
            body: .member("value"),
            answer: .verdict
        ),
        Route(
            method: .post,
            path: "/v1/gates/{gate}/reject",
            name: "reject",
            summary: "Rejects a gate, with a reason.",
            verb: "REJECT",
            subject: "{gate}",
            query: ["keep_ms", "durability"],
            body: .member("reason"),
            answer: .verdict
        ),
        Route(
            method: .post,
            path: "/v1/gates/{gate}/withdraw",
            name: "withdraw",
            summary: "Takes back the sender's own early decision or vote.",
            verb: "WITHDRAW",
            subject: "{gate}"
        ),
    ]

    private static let signals = [
        Route(
            method: .get,
            path: "/v1/signals",
            name: "listSignals",
            summary: "Lists the signals that wait, gates among them.",
            verb: "LIST",
            subject: "signals",
            query: ["limit", "cursor", "order", "pipeline", "principal", "older_than_ms", "id"],
            answer: .page(kind: nil)
        ),
        Route(
            method: .get,
            path: "/v1/signals/{signal}",
            name: "showSignal",
            summary: "Shows a signal.",
            verb: "SHOW",
            subject: "signal/{signal}"
        ),
        Route(
            method: .post,
            path: "/v1/signals/{signal}/complete",
            name: "complete",
            summary: "Completes a signal, with a value for the waiter.",
            verb: "COMPLETE",
            subject: "{signal}",
            query: ["keep_ms", "durability"],
            body: .member("value"),
            answer: .verdict
        ),
    ]

    private static let monitors = [
        Route(
            method: .get,
            path: "/v1/monitors",
            name: "listMonitors",
            summary: "Lists the monitors with their last cycles.",
            verb: "LIST",
            subject: "monitors",
            query: ["limit", "cursor", "id"],
            answer: .page(kind: nil)
        ),
        Route(
            method: .get,
            path: "/v1/monitors/{monitor}",
            name: "showMonitor",
            summary: "Shows a monitor.",
            verb: "SHOW",
            subject: "monitor/{monitor}"
        ),
        pause("monitor"), resume("monitor"),
    ]

    private static let reading = [
        Route(
            method: .get,
            path: "/v1/history/{name}",
            name: "showHistory",
            summary: "Shows what happened to a run, a signal or a monitor.",
            verb: "SHOW",
            subject: "history/{name}"
        ),
        Route(
            method: .get,
            path: "/v1/events/{pattern}",
            name: "watch",
            summary: "Streams the events whose subjects match a pattern, such as run.deploy.>, from now on.",
            verb: "WATCH",
            subject: "{pattern}",
            fixed: ["credit": .integer(Int64(WireLimits.credit))],
            answer: .events
        ),
        Route(
            method: .get,
            path: "/v1/worker",
            name: "showWorker",
            summary: "Shows the worker itself: its state, its counters, and its checks, for example of disk and store.",
            verb: "SHOW",
            subject: "worker"
        ),
    ]

    private static func pause(_ kind: String) -> Route {
        Route(
            method: .post,
            path: PathTemplate(stringLiteral: "/v1/\(kind)s/{\(kind)}/pause"),
            name: "pause\(kind.capitalized)",
            summary: "Pauses a \(kind), with a reason.",
            verb: "PAUSE",
            subject: "\(kind)/{\(kind)}",
            query: ["ttl_ms"],
            body: .member("reason")
        )
    }

    private static func resume(_ kind: String) -> Route {
        Route(
            method: .post,
            path: PathTemplate(stringLiteral: "/v1/\(kind)s/{\(kind)}/resume"),
            name: "resume\(kind.capitalized)",
            summary: "Resumes a paused \(kind).",
            verb: "RESUME",
            subject: "\(kind)/{\(kind)}"
        )
    }
}

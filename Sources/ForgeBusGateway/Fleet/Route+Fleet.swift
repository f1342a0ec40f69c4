import ForgeBusProtocol

extension Route {
    /// The routes that a gateway of a fleet has besides.
    static let fleet: [Route] = [
        Route(
            method: .get,
            path: "/v1/fleet/workers",
            name: "listFleetWorkers",
            summary: "Shows each worker of the fleet: whether it answers, and what it says of itself.",
            verb: "SHOW",
            subject: "worker",
            fleet: ["on"]
        ),
        Route(
            method: .get,
            path: "/v1/fleet/monitors",
            name: "listFleetMonitors",
            summary: "Shows the state of each monitor on each worker of the fleet, exceptions first.",
            verb: "LIST",
            subject: "monitors",
            fleet: ["since", "topic", "on"]
        ),
        Route(
            method: .post,
            path: "/v1/fleet/topics/{topic}",
            name: "notifyFleet",
            summary: "Reports a change to all workers of the fleet, and shows which monitors have evaluated it.",
            verb: "NOTIFY",
            subject: "{topic}",
            query: ["durability"],
            fleet: ["on"],
            body: .change,
            answer: .report
        ),
        Route(
            method: .post,
            path: "/v1/fleet/pipelines/{pipeline}/runs",
            name: "runOnFleet",
            summary: "Runs a pipeline on the workers of the fleet, batch after batch; the body has the seeds.",
            verb: "RUN",
            subject: "{pipeline}",
            query: ["deadline_ms", "durability"],
            fleet: ["on", "failing", "batches", "stop_after"],
            body: .seeds,
            answer: .report
        ),
        Route(
            method: .get,
            path: "/v1/fleet/events",
            name: "watchFleet",
            summary: "Streams an event `change` when the state of a worker or monitor of the fleet has changed.",
            verb: "WATCH",
            subject: "monitor.>",
            fleet: [],
            fixed: ["credit": .integer(Int64(WireLimits.credit))],
            answer: .events
        ),
    ]
}

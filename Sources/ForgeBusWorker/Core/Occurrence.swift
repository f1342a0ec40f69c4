import ForgeBusProtocol

/// One event that may request a run, with the facts that the run gets.
struct Occurrence {
    let event: WorkerEvent
    /// The pipeline of the run that the event is about; nil for an event of a monitor.
    var pipeline: Name?
    /// The run that the event is about; nil for an event of a monitor.
    var run: Name?
    var action = ""
    var gate: Name?
    var monitor: Name?
    /// The state in which a failed run ended; empty for any event that is not the failure of a run.
    var state = ""
    var reason = ""
    /// The text that the gate shows to those who decide; empty without a gate or without a text.
    var message = ""
    /// The principal that requested ``run``; empty for an event of a monitor.
    var requester = ""
    /// The principals that count as requesters of the run that the event requests; empty without keys.
    var causers: Set<String> = []
    /// How many actions of ``run`` had ended when the event occurred; nil for an event of a monitor.
    var place: Int?

    /// The gate, run or monitor that the event is about.
    var subject: String { (gate ?? run ?? monitor)?.text ?? "" }

    /// The facts of the event as seeds of the requested run, except `count` and `ids`.
    ///
    /// - Parameter url: The address of the worker's console without a slash at the end; nil if it is unknown.
    /// - Returns: The facts by key.
    func seeds(at url: String?) -> JSONObject {
        [
            "event": .string(event.rawValue), "pipeline": .string(pipeline?.text ?? ""),
            "run": .string(run?.text ?? ""), "action": .string(action), "gate": .string(gate?.text ?? ""),
            "monitor": .string(monitor?.text ?? ""), "state": .string(state), "reason": .string(reason),
            "message": .string(message), "requester": .string(requester),
            "url": .string(url.map { $0 + page } ?? ""),
        ]
    }

    /// The path of the console's page about the event.
    private var page: String {
        if let gate { return "/gates/\(gate)" }
        if let run { return "/runs/\(run)" }
        return monitor.map { "/monitors/\($0)" } ?? ""
    }
}

/// A report within a step; it concerns the runs that the worker itself requests for events.
enum Report {
    /// An event occurred that may request a run.
    case occurred(Occurrence)
    /// A run that an event requested has ended or is parked; `trouble` says what went wrong, or is nil if it completed.
    case eventRunEnded(pipeline: Name, run: Name, trouble: String?)
    /// Somebody cancelled a run that an event requested.
    case eventRunCancelled(pipeline: Name, run: Name)
}

/// The pipeline and the seeds of a run that an action requests.
struct RequestedRun: Sendable {
    let pipeline: Name
    let seeds: JSONObject
    /// Whether the action waits for the end of the run.
    var waits = false
}

/// A run that an action of another run requests.
struct RequestByRun {
    /// The run whose action requests another run.
    let outer: Name
    let action: String
    /// The number of the attempt at the action; each attempt requests a run of its own.
    let attempt: Int
    /// The waiter that resumes the outer run, which is suspended at the action.
    let waiter: WaiterID
    let order: RequestedRun
}

/// A run that an action of a monitor requests.
struct RequestByMonitor: Sendable {
    let monitor: Int
    let action: String
    let order: RequestedRun
    /// The principals whose notifications caused the cycle.
    let causers: Set<String>
    let waiter: WaiterID
}

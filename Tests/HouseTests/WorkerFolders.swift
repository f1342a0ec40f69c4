/// A folder of ForgeBusWorker: what belongs there, and what its files may mention.
///
/// This table alone decides; a new folder needs a line here.
struct WorkerFolder {
    /// What of the module ZeroMQ it may use.
    enum ZeroMQUse {
        case nothing
        case only(Set<String>)
        case everything
    }

    /// Empty for the files at the top level.
    let name: String
    let holds: String
    var zeroMQ = ZeroMQUse.nothing
    /// Whether it may mention `WorkerState`, which has all parts: a part may not, or it would know all others.
    var mentionsState = false

    static let all: [WorkerFolder] = [
        WorkerFolder(name: "", holds: "the face", zeroMQ: .only(endpointsAndKeys), mentionsState: true),
        WorkerFolder(name: "Errors", holds: "the words of errors, by subject"),
        WorkerFolder(name: "Definitions", holds: "what a program or a file defines: pipelines, monitors, gates, seeds"),
        WorkerFolder(name: "Schedules", holds: "when a schedule is due, and when clocks change"),
        WorkerFolder(name: "Access", holds: "policies, grants and the audit", zeroMQ: .only(endpointsAndKeys)),
        WorkerFolder(name: "Containers", holds: "collections that know nothing of a worker"),
        WorkerFolder(name: "Core", holds: "the state, its events and its effects", mentionsState: true),
        WorkerFolder(name: "Core/Runs", holds: "the machine, the queues and the records of runs", mentionsState: true),
        WorkerFolder(name: "Core/RequestedRuns", holds: "runs that the worker requests itself", mentionsState: true),
        WorkerFolder(name: "Core/Signals", holds: "waits and decisions", mentionsState: true),
        WorkerFolder(name: "Core/Monitors", holds: "lanes, cycles and evaluations", mentionsState: true),
        WorkerFolder(name: "Core/Requests", holds: "the ledger, and one handler for each command", mentionsState: true),
        WorkerFolder(name: "Core/Reading", holds: "what is shown, listed and watched", mentionsState: true),
        WorkerFolder(name: "Execution", holds: "what executes actions, off the reactor"),
        WorkerFolder(name: "Transport", holds: "sockets and the store", zeroMQ: .everything, mentionsState: true),
        WorkerFolder(name: "Transport/Publications", holds: "what others publish", zeroMQ: .everything),
    ]

    /// What users give a worker, and the error by which it is refused.
    private static let endpointsAndKeys: Set = [
        "Endpoint", "LocalEndpoint", "PublicKey", "SecretKey", "KeyPair", "Certificate", "Heartbeats", "ZeroMQError",
    ]

    /// The files of the parts of `WorkerState`, each with the part as its first type.
    static let parts = [
        "Core/Step.swift", "Core/Runs/Runs.swift", "Core/Runs/RunMachine.swift", "Core/Signals/Signals.swift",
        "Core/Signals/WaitingSignals.swift", "Core/Signals/EndedSignals.swift",
        "Core/Monitors/Monitors.swift", "Core/Monitors/MonitorLane.swift", "Core/Monitors/Evaluations.swift",
        "Core/RequestedRuns/RequestedRuns.swift", "Core/Requests/Pauses.swift", "Core/Requests/RequestLedger.swift",
        "Core/Requests/StoreTasks.swift", "Core/Reading/Watches.swift",
    ]

    static func named(_ name: String) -> WorkerFolder? { all.first { $0.name == name } }
}

/// Types of more than 500 lines without comments, over all their files, each with its reason.
enum LargeTypes {
    static let limit = 500
    static let reasons = [
        "ForgeBusWorker.WorkerState": "all parts of a worker: a method here needs several of them",
        "ForgeBusWorker.RunMachine": "one state machine, whose state nothing outside it writes",
        "ForgeBusWorker.WorkerLoop": "one loop, which starts and joins those who speak, commit, answer and execute",
        "ZeroMQ.Reactor": "the isolation of all sockets: a method needs its thread, not its state",
        "ForgeBusConfiguration.Shape": "the declaration of every key of every file, and nothing else",
        "ForgeBusClient.BusClient": "the client's face: a method for each request, with what it promises",
        "ForgeBusPostgreSQL.PostgresSession": "one session, whose state nothing outside it writes",
    ]
}

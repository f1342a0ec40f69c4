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
    /// Whether it may mention `WorkerState`, which knows all owners; an owner may not, or it would know all others.
    var mentionsCore = false

    static let all: [WorkerFolder] = [
        WorkerFolder(name: "", holds: "the face", zeroMQ: .only(endpointsAndKeys), mentionsCore: true),
        WorkerFolder(name: "Errors", holds: "the words of errors, by subject"),
        WorkerFolder(name: "Core", holds: "the router, its events and its effects", mentionsCore: true),
        WorkerFolder(name: "Steps", holds: "what passes between the core and the owners"),
        WorkerFolder(name: "Hosted", holds: "pipelines and monitors, as users define them"),
        WorkerFolder(name: "Runs", holds: "the machine, the book, the queues and the records of runs"),
        WorkerFolder(name: "Signals", holds: "gates, their rules and what was decided"),
        WorkerFolder(name: "Monitors", holds: "lanes, cycles and evaluations"),
        WorkerFolder(name: "Requests", holds: "the ledger, and one handler for each command"),
        WorkerFolder(name: "Reading", holds: "what is shown, listed, told of the past and watched"),
        WorkerFolder(name: "Access", holds: "policies, grants and the audit", zeroMQ: .only(endpointsAndKeys)),
        WorkerFolder(name: "Execution", holds: "what executes actions, off the reactor"),
        WorkerFolder(name: "Transport", holds: "sockets and the store", zeroMQ: .everything, mentionsCore: true),
    ]

    /// What users give a worker, and the error by which it is refused.
    private static let endpointsAndKeys: Set = [
        "Endpoint", "LocalEndpoint", "PublicKey", "SecretKey", "KeyPair", "Certificate", "Heartbeats", "ZeroMQError",
    ]

    static func named(_ name: String) -> WorkerFolder? { all.first { $0.name == name } }
}

/// Files of more than 300 lines, each with its reason.
enum LongFiles {
    static let limit = 300
    static let reasons = [
        "RunMachine.swift": "one state machine, whose state nothing outside the file writes",
        "MonitorLane.swift": "one state machine, whose state nothing outside the file writes",
        "WorkerLoop.swift": "one loop, whose state nothing outside the file writes",
        "GateBook.swift": "one table of gates: each method is a row of the table of verdicts",
    ]
}

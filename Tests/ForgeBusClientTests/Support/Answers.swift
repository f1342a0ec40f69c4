import ForgeBusProtocol

/// Answers that tests need again and again.
extension Answer.Content {
    static let taken = Answer.Content.accepted(.notification(durability: .memory, monitors: 1))

    static func begun(_ run: RunID = "run-1", kept retention: Duration = .seconds(60)) -> Answer.Content {
        .accepted(.run(run, durability: .memory, retention: retention))
    }

    static func change(_ sequence: Int, _ run: RunID = "run-1") -> Answer.Content {
        .progress(RunProgress(run: run, sequence: sequence, change: .started(action: "work")))
    }

    static func completed(_ run: RunID = "run-1") -> Answer.Content {
        .result(RunResult(run: run, state: .completed, actions: []))
    }

    static func refused(_ code: ErrorCode, after pause: Duration? = nil) -> Answer.Content {
        .error(BusError(code, "It cannot be.", next: "Wait.", retryAfter: pause))
    }

    static func welcome(outstanding: Int?, store: String? = nil) -> Answer.Content {
        let limits = outstanding.map { ["outstanding": $0] } ?? [:]
        return .welcome(
            Welcome(
                worker: "w",
                state: .ready,
                durability: .memory,
                retention: .seconds(60),
                store: store,
                limits: limits
            )
        )
    }

    static func event(_ sequence: Int, lost: Int = 0) -> Answer.Content {
        .event(BusEvent(.run("run-1", of: "p"), sequence: sequence, lost: lost, body: ["state": "queued"]))
    }
}

/// A generator that always draws the same part of what is asked for.
struct FixedGenerator: RandomNumberGenerator {
    var value: UInt64

    mutating func next() -> UInt64 { value }

    /// The least of each range.
    static let least = FixedGenerator(value: 0)
    /// The most of each range, nearly.
    static let most = FixedGenerator(value: .max)
}

import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The arguments and options of `complete` and `reject`.
struct DecisionOptions: ParsableArguments {
    @Argument(help: "The signal's id, as shown by the worker.", transform: Words.name)
    var signal: Name

    @Option(
        help: ArgumentHelp(
            "Seconds to keep the decision if no signal waits yet; 0 does not keep it. At most 7 days; default 24 hours.",
            valueName: "seconds"
        )
    )
    var keep: Double?

    @Option(
        help: "The request's id. If you send the same decision again with this id, you get the first verdict again.",
        transform: Words.requestID
    )
    var id: RequestID?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        if let keep, !(0...604_800).contains(keep) {
            throw ValidationError("--keep must be a number of seconds from 0 to 604800.")
        }
    }

    var keeping: Duration { keep.map { .seconds($0) } ?? WireLimits.defaultKeep }
    var request: RequestID { id ?? .random() }

    /// Decides, and shows the verdict; exits with 2 if the decision had no effect.
    func conclude(
        as request: RequestID,
        _ decide: @escaping @Sendable (BusClient) async throws(BusError) -> VerdictReport
    ) async throws {
        try await client.ask(.one, id: request) { bus, output throws(BusError) in
            let report = try await decide(bus)
            output.show(report.line, report.json)
            return switch report.verdict {
            case .delivered, .counted, .buffered, .duplicate: .done
            case .conflict, .expired, .closed, .unknown: .cameToNothing
            case .forbidden: .forbidden
            }
        }
    }
}

/// The command `forgebus complete`, with its arguments and options.
struct CompleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete",
        abstract: "Completes a signal or approves a gate, and shows the exact verdict.",
        discussion:
            "Exits 0 for delivered, counted, buffered and duplicate, 2 for conflict, expired, closed and unknown."
    )

    @OptionGroup var decision: DecisionOptions

    @Argument(help: "The value for the waiter, as JSON.", transform: Words.json)
    var value: JSONValue?

    func run() async throws {
        let json = value ?? .null
        let request = decision.request
        try await decision.conclude(as: request) { bus throws(BusError) in
            try await bus.complete(SignalID(decision.signal), value: json, keeping: decision.keeping, id: request)
        }
    }
}

/// The command `forgebus reject`, with its arguments and options.
struct RejectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject",
        abstract: "Rejects a gate, and shows the exact verdict.",
        discussion:
            "Exits 0 for delivered, counted, buffered and duplicate, 2 for conflict, expired, closed and unknown."
    )

    @OptionGroup var decision: DecisionOptions

    @Argument(help: "The reason, for people.")
    var reason: String = ""

    func run() async throws {
        let request = decision.request
        try await decision.conclude(as: request) { bus throws(BusError) in
            try await bus.reject(SignalID(decision.signal), reason: reason, keeping: decision.keeping, id: request)
        }
    }
}

extension VerdictReport {
    /// The verdict in one line for people.
    fileprivate var line: String {
        let more: String =
            switch verdict {
            case .delivered: "the waiter resumes"
            case .counted(let have, let need): "\(have) of \(need) votes"
            case .buffered(let time): "nobody waits yet; kept for \(time.milliseconds / 1000) s"
            case .duplicate: "the same decision came earlier"
            case .conflict(let standing): "\(standing.principal) \(standing.decision) it before; that decision stands"
            case .expired: "the signal's deadline passed before the decision"
            case .closed(let why): why
            case .forbidden(let why): why
            case .unknown: "nobody waits; no gate has this id, or the decision was not kept"
            }
        return "\(verdict.word.padded(to: 11))\(signal)  (\(more); \(durability.rawValue))"
    }
}

import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The common arguments and options of `approve`, `reject` and `complete`.
struct DecisionOptions: ParsableArguments {
    @Argument(
        help: """
            The id of the gate or plain signal, as `forgebus gates` and `forgebus list signals` show it, or the id of the \
            run that waits at the gate; only a gate can be rejected.
            """,
        transform: Words.name
    )
    var signal: Name

    @Flag(
        help: """
            If nothing waits for the signal yet, keep the decision for 24 hours. A gate uses an early decision only if \
            that decision was sent with --early or --keep.
            """
    )
    var early = false

    @Option(
        help: ArgumentHelp(
            """
            If nothing waits for the signal yet, keep the decision for this time, such as 2h or 3d, at most 7d \
            (--early: 24 hours); with 0, do not keep it.
            """,
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var keep: Duration?

    @Option(
        help: "The request's id. If you send the same decision again with this id, you get the first verdict again.",
        transform: Words.requestID
    )
    var id: RequestID?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try TimeSpan.check(keep, "--keep", from: .zero, to: .seconds(604_800))
        if early, keep == .zero { throw ValidationError("Give --early or --keep 0, not both.") }
    }

    /// The effect of a completion or an approval, in words for people.
    static let resumption = "the waiting run or program resumes, unless its pipeline is paused"

    var keeping: Duration? { keep ?? (early ? WireLimits.defaultKeep : nil) }
    var request: RequestID { id ?? .random() }

    /// Decides, and shows the verdict; exits with 2 if the decision had no effect.
    ///
    /// - Parameters:
    ///   - request: The request's id.
    ///   - effect: The consequence if this decision ends the signal's wait, in words for people.
    ///   - isShown: Whether to show the gate first; it is shown only on a terminal and in the format `text`.
    ///   - question: What to ask before the decision is sent, where the gate is shown; nil to ask nothing.
    ///   - decide: Sends the decision.
    /// - Throws: An `ExitCode` for every status except ``ExitStatus/done``.
    func conclude(
        as request: RequestID,
        effect: String = DecisionOptions.resumption,
        isShown: Bool = false,
        asking question: String? = nil,
        _ decide: @escaping @Sendable (BusClient, SignalID) async throws(BusError) -> VerdictReport
    ) async throws {
        try await client.ask(.one, id: request) { bus, output throws(BusError) in
            let signal = try await bus.signal(meantBy: signal)
            if isShown, output.format == .text, Terminal.isInteractive {
                try await show(signal, on: bus)
                if let question, await !Terminal.agrees(to: question) { return .cameToNothing }
            }
            let report = try await decide(bus, signal)
            output.show(report.line(effect, client), report.json)
            return switch report.verdict {
            case .delivered, .counted, .buffered, .duplicate: .done
            case .conflict, .expired, .closed, .unknown: .cameToNothing
            case .forbidden: .forbidden
            }
        }
    }
}

extension BusClient {
    /// The signal of this id, or the only gate at which the run of this id waits.
    func signal(meantBy name: Name) async throws(BusError) -> SignalID {
        // The id of a run is one token.
        guard !name.text.contains(".") else { return SignalID(name) }
        let run: RunItem
        do throws(BusError) { run = try await show(run: RunID(name)) } catch {
            guard [.unknownRun, .forbidden, .badAnswer].contains(error.code) else { throw error }
            return SignalID(name)
        }
        let gates = run.waits.compactMap(\.signal)
        guard gates.count == 1, let gate = gates.first else { throw Errors.notAtOneGate(run, gates) }
        return gate
    }
}

extension DecisionOptions {
    /// Shows the gate to decide, with its message and the seeds of its run.
    private func show(_ signal: SignalID, on bus: BusClient) async throws(BusError) {
        do throws(BusError) {
            let gate = try await bus.show(signal: signal)
            Terminal.say(gate.lines(client))
            guard let run = gate.run else { return }
            let seeds = try await bus.show(run: run).seeds
            let line = seeds.entries.map { "\($0.readable.key)=\($0.readable.value)" }.joined(separator: "  ")
            if !line.isEmpty { Terminal.say([SignalItem.row("seeds", line)]) }
        } catch {
            // A principal with the right to decide may lack the right to read. So a gate that cannot be shown does not
            // prevent the decision, and the verdict says whether the gate waits.
            guard [.unknownSignal, .unknownRun, .forbidden, .badAnswer].contains(error.code) else { throw error }
        }
    }
}

/// The command `forgebus complete`, with its arguments and options.
struct CompleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete",
        abstract: "Completes a plain signal or approves a gate, and shows the exact verdict.",
        discussion: """
            Example: forgebus complete deploy.42.approve '{"ticket": "OPS-7"}'

            Exits 0 for the verdicts delivered, counted (as a vote), buffered (kept as an early decision) and \
            duplicate, 2 for conflict, expired, closed and unknown, and 77 for forbidden.
            """
    )

    @OptionGroup var decision: DecisionOptions

    @Argument(help: "The value for the waiter, as JSON.", transform: Words.json)
    var value: JSONValue?

    func run() async throws {
        let json = value ?? .null
        let request = decision.request
        try await decision.conclude(as: request) { bus, signal throws(BusError) in
            try await bus.complete(signal, value: json, keeping: decision.keeping, id: request)
        }
    }
}

/// The command `forgebus withdraw`, with its arguments and options.
struct WithdrawCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Takes back your own early decision, or your vote on a gate that still waits.",
        discussion: """
            Example: forgebus withdraw deploy.42.approve

            Exits 0 for withdrawn, and 2 if you have no early decision and no vote on the signal, or if the signal is \
            decided.
            """
    )

    @Argument(help: "The signal's id.", transform: Words.name)
    var signal: Name

    @Option(
        help: "The request's id. If you send the same request again with this id, you get the first answer again.",
        transform: Words.requestID
    )
    var id: RequestID?

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let request = id ?? .random()
        try await client.ask(.one, id: request) { bus, output throws(BusError) in
            let report = try await bus.withdraw(SignalID(signal), id: request)
            output.show(report.line(of: signal, Self.remark(on: report.state)), report.json)
            return report.state == .withdrawn ? .done : .cameToNothing
        }
    }

    private static func remark(on state: StateReport.State) -> String {
        switch state {
        case .withdrawn: "your decision or vote no longer counts"
        case .nothing: "you have no early decision and no vote on this signal"
        case .decided: "the signal is decided, and its decision stands"
        case .queued, .running, .waiting, .retrying, .parked, .stopping, .completed, .failed, .timedOut, .cancelled,
            .lost, .creditEnded, .unwatched, .set, .paused, .resumed, .done:
            ""
        }
    }
}

/// The command `forgebus reject`, with its arguments and options.
struct RejectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject",
        abstract: "Rejects a gate, and shows the exact verdict; on a terminal, it first shows the gate and asks.",
        discussion: """
            Example: forgebus reject deploy.42.approve "not on a Friday"

            Exits 0 for the verdicts delivered, counted (as a vote), buffered (kept as an early decision) and \
            duplicate, 2 for conflict, expired, closed and unknown, and 77 for forbidden.
            """
    )

    @OptionGroup var decision: DecisionOptions

    @Argument(help: "Why you reject the gate, as a text for people.")
    var reason: String?

    @Option(help: "Why you reject the gate; use either this option or the argument.")
    var because: String?

    @Flag(help: "Do not ask on a terminal before the gate is rejected.")
    var yes = false

    func validate() throws {
        if reason != nil, because != nil {
            throw ValidationError("Give the reason once: as an argument, or after --because.")
        }
    }

    func run() async throws {
        let request = decision.request
        let reason = reason ?? because ?? ""
        let effect = "the gate is rejected; actions that require it are skipped"
        let question = yes ? nil : "Reject this gate?"
        try await decision.conclude(as: request, effect: effect, isShown: true, asking: question) {
            bus,
            signal throws(BusError) in
            try await bus.reject(signal, reason: reason, keeping: decision.keeping, id: request)
        }
    }
}

extension VerdictReport {
    /// The verdict in one line for people.
    ///
    /// - Parameters:
    ///   - effect: What follows if this decision ended the signal's wait.
    ///   - client: Completes the commands that the line names.
    /// - Returns: The line.
    fileprivate func line(_ effect: String, _ client: ClientOptions) -> String {
        let (more, isStored): (String, Bool) =
            switch verdict {
            case .delivered:
                (
                    parkingReason.map { Errors.decidedButParked($0, signal, client) } ?? effect,
                    true
                )
            case .counted(let have, let need): ("\(have) of \(need) votes; the gate still waits", true)
            case .buffered(let time):
                (Errors.keptDecision(for: time), true)
            case .duplicate: ("the same decision came earlier", true)
            case .conflict(let standing):
                (Errors.standingDecision(standing.decision, of: standing.principal), false)
            case .expired: ("the signal's deadline passed before the decision", false)
            case .closed(let why): (why, false)
            case .forbidden(let why): (why, false)
            case .unknown(let why):
                (why.isEmpty ? Errors.droppedDecision : why, false)
            }
        let end = isStored ? "; \(durability.rawValue)" : ""
        return "\(verdict.word.padded(to: 11))\(signal)  (\(more)\(end))"
    }
}

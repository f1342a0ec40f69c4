import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus gates`, with its arguments and options.
struct GatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gates",
        abstract: "Lists the gates that wait for your decision, or shows one with how to decide it.",
        discussion: """
            Example: forgebus gates --wait 1m

            With GATE, the command shows this gate: its whole message, its votes, who may decide it, and how.

            A gate waits for you if its rule and your rights let you decide it, and you have not voted yet. Without keys, all \
            gates wait for everybody. With --wait, the command exits with 75 if no gate has waited in the given time.
            """
    )

    @Argument(help: "The id of the gate to show, or of the run that waits at it.", transform: Words.name)
    var gate: Name?

    @Flag(help: "Also list the gates that wait only for others, and the gates on which you have voted.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "If there is no gate to list, wait for one, at most this long, such as 30s or 5m.",
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var wait: Duration?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try TimeSpan.check(wait, "--wait", from: .zero, to: .seconds(31_536_000))
        if gate != nil, wait != nil || all { throw ValidationError("Give a gate, or --wait and --all.") }
    }

    func run() async throws {
        if let gate { return try await show(gate) }
        try await client.ask(.several) { bus, output throws(BusError) in
            let (gates, others) = try await awaitedGates(bus)
            switch output.format {
            case .json, .jsonl: for gate in gates { output.show([], gate.json) }
            case .text:
                if !gates.isEmpty { Terminal.say(Self.table(of: gates)) }
                Terminal.say(summary(of: gates, others: others))
            }
            return wait != nil && gates.isEmpty ? .tryAgain : .done
        }
    }

    private func show(_ name: Name) async throws {
        try await client.ask(.one) { bus, output throws(BusError) in
            let gate = try await bus.show(signal: bus.signal(meantBy: name))
            let isYours = gate.kind == .gate && gate.isWaiting && gate.you ?? .mayDecide == .mayDecide
            let lines = (gate.lines(client) + (isYours ? gate.commands(client) : [])).flatMap {
                $0.wrappedForTerminal(indent: $0.hasPrefix("  ") ? 14 : 0)
            }
            output.show(lines, gate.json)
            return .done
        }
    }

    /// A row for each gate; who has voted is told only if a gate needs several votes, and a title only if a run has one.
    private static func table(of gates: [SignalItem]) -> [String] {
        let isTitled = gates.contains { $0.title != nil }
        let isVoted = gates.contains { $0.rule?.isQuorum == true }
        let short = ["GATE", "AGE", "EXPIRES"] + (isVoted ? ["VOTES"] : []) + ["REQUESTER"]
        let wide = (isTitled ? ["TITLE"] : []) + ["MESSAGE"]
        var table = Table(short.map { .short($0) } + wide.map { .wide($0) })
        for gate in gates {
            let end = Age.until(gate.deadlineUnixMilliseconds)
            var row = [gate.id.text, Age.since(gate.openedUnixMilliseconds), end.isEmpty ? "never" : end]
            if isVoted {
                let have = (gate.votes ?? []).count { $0.decision == .approved }
                row.append("\(have) of \(gate.rule?.approvals ?? 1)")
            }
            row.append(gate.requester ?? "")
            if isTitled { row.append(gate.title ?? "") }
            table.add(row + [gate.message ?? ""])
        }
        return table.lines(width: Terminal.isInteractive ? max(60, Terminal.columns) : nil)
    }
}

extension GatesCommand {
    private typealias Gates = (listed: [SignalItem], others: Int)

    /// The gates to list, and the number of the others; with `--wait`, as soon as there is one to list.
    private func awaitedGates(_ bus: BusClient) async throws(BusError) -> Gates {
        let gates = try await gates(bus)
        guard let wait, gates.listed.isEmpty else { return gates }
        let later: Gates? = try await within(wait) { () throws(BusError) in
            var events = try await bus.events(matching: "signal.>").makeAsyncIterator()
            // A gate may have begun to wait before the events did.
            var gates = try await self.gates(bus)
            while gates.listed.isEmpty, try await events.next() != nil { gates = try await self.gates(bus) }
            return gates
        }
        return later ?? gates
    }

    private func gates(_ bus: BusClient) async throws(BusError) -> Gates {
        var gates: Gates = ([], 0)
        for try await signal in bus.signals(pageSize: WireLimits.pageSize) where signal.kind == .gate {
            if all || signal.you ?? .mayDecide == .mayDecide { gates.listed.append(signal) } else { gates.others += 1 }
        }
        return gates
    }

    /// How to decide the listed gates, and a line about those that are not listed because they wait for other principals.
    private func summary(of gates: [SignalItem], others: Int) -> [String] {
        let shown =
            gates.isEmpty ? [others == 0 ? "no gate waits" : "no gate waits for you"] : ["to decide: " + decide(gates)]
        guard others > 0 else { return shown }
        let waits = others == 1 ? "1 gate waits" : "\(others) gates wait"
        return shown + [
            "\(waits) only for others; to list \(others == 1 ? "it" : "them"): \(client.command(["gates", "--all"]))"
        ]
    }

    private func decide(_ gates: [SignalItem]) -> String {
        client.command(["gates", gates.count == 1 ? gates[0].id.text : "GATE"])
    }
}

/// The command `forgebus approve`, with its arguments and options.
struct ApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Approves a gate, and shows the exact verdict.",
        discussion: """
            The command does not ask for a confirmation. `forgebus gates` lists the gates that wait. On a terminal, \
            this command also shows the gate before it decides the gate.

            Example: forgebus approve deploy.42.approve --because "all tests passed"

            Exits 0 for the verdicts delivered, counted (as a vote), buffered (kept as an early decision) and \
            duplicate, 2 for conflict, expired, closed and unknown, and 77 for forbidden.
            """
    )

    @OptionGroup var decision: DecisionOptions

    @Option(help: "Why you approve, as a text for people; the run gets this text as the value `because`.")
    var because: String?

    @Option(
        name: .customLong("value"),
        help: ArgumentHelp(
            "A value that the run gets with the approval: key=text, or key:=JSON.",
            valueName: "key=text"
        ),
        transform: SeedArgument.init
    )
    var values: [SeedArgument] = []

    func run() async throws {
        var value = JSONObject()
        for argument in values { value[argument.key] = argument.value }
        if let because { value["because"] = .string(because) }
        let json: JSONValue = value.entries.isEmpty ? .null : .object(value)
        let request = decision.request
        let effect = "approved; \(DecisionOptions.resumption)"
        try await decision.conclude(as: request, effect: effect, isShown: true) { bus, signal throws(BusError) in
            try await bus.complete(signal, value: json, keeping: decision.keeping, id: request)
        }
    }
}

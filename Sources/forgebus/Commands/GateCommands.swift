import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus gates`, with its arguments and options.
struct GatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gates",
        abstract: "Lists the gates that wait for your decision, with their messages and how to decide them.",
        discussion: """
            Example: forgebus gates --wait 1m

            A gate waits for you if its rule and your rights let you decide it, and you have not voted yet. Without keys, all \
            gates wait for everybody. With --wait, the command exits with 75 if no gate has waited in the given time.
            """
    )

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

    func validate() throws { try TimeSpan.check(wait, "--wait", from: .zero, to: .seconds(31_536_000)) }

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            let (gates, others) = try await awaitedGates(bus)
            for gate in gates {
                let commands = gate.you ?? .mayDecide == .mayDecide ? gate.commands(client) : []
                let gap = output.format == .text && gate.id != gates.first?.id ? [""] : []
                let lines = (gate.lines(client) + commands).flatMap {
                    $0.wrappedForTerminal(indent: $0.hasPrefix("  ") ? 14 : 0)
                }
                output.show(gap + lines, gate.json)
            }
            let summary = summary(shown: gates.count, others: others)
            if output.format == .text, !summary.isEmpty { Terminal.say(summary) }
            return wait != nil && gates.isEmpty ? .tryAgain : .done
        }
    }
}

extension GatesCommand {
    private typealias Gates = (listed: [HeldSignal], others: Int)

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
        for try await signal in bus.signals(pageSize: WireLimits.pageSize) where signal.type == .gate {
            if all || signal.you ?? .mayDecide == .mayDecide { gates.listed.append(signal) } else { gates.others += 1 }
        }
        return gates
    }

    /// A line about gates that are not listed because they wait for other principals, or about an empty list.
    ///
    /// If neither is the case, there is no line.
    private func summary(shown: Int, others: Int) -> [String] {
        if others > 0 {
            let gates = others == 1 ? "1 gate waits" : "\(others) gates wait"
            let call = client.command(["gates", "--all"])
            let all = "to list \(others == 1 ? "it" : "them"): \(call)"
            return ["\(shown == 0 ? "no gate waits for you; " : "")\(gates) only for others; \(all)"]
        }
        return shown == 0 ? ["no gate waits"] : []
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

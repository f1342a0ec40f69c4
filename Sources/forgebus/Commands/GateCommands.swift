import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus gates`, with its arguments and options.
struct GatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gates",
        abstract: "Lists the gates that wait for a decision, with their messages and how to decide them."
    )

    @OptionGroup var client: ClientOptions

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            var gates: [HeldSignal] = []
            for try await signal in bus.signals(pageSize: WireLimits.pageSize) where signal.type == .gate {
                gates.append(signal)
            }
            if gates.isEmpty, output.format == .text { Terminal.say(["no gate waits"]) }
            for gate in gates { output.show(gate.lines + [client.advice(on: gate.id.text)], gate.json) }
            return .done
        }
    }
}

/// The command `forgebus approve`, with its arguments and options.
struct ApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Approves a gate, and shows the exact verdict.",
        discussion: """
            It does not ask. forgebus gates lists what waits; on a terminal, approve also shows the gate that it decides.

            Example: forgebus approve deploy.42.approve --because "all tests passed"

            Exits 0 for delivered, counted, buffered and duplicate, 2 for conflict, expired, closed and unknown.
            """
    )

    @OptionGroup var decision: DecisionOptions

    @Option(help: "The reason, for people; the run gets it as the value `because`.")
    var because: String?

    @Option(
        name: .customLong("value"),
        help: ArgumentHelp("A value for the run: key=text, or key:=JSON.", valueName: "key=text"),
        transform: SeedArgument.init
    )
    var values: [SeedArgument] = []

    func run() async throws {
        var value = JSONObject()
        for argument in values { value[argument.key] = argument.value }
        if let because { value["because"] = .string(because) }
        let json: JSONValue = value.entries.isEmpty ? .null : .object(value)
        let request = decision.request
        try await decision.conclude(as: request, isShown: true) { bus throws(BusError) in
            try await bus.complete(SignalID(decision.signal), value: json, keeping: decision.keeping, id: request)
        }
    }
}

extension HeldSignal {
    /// The gate for those who decide: its id, its run, its age or its decision, then its message.
    var lines: [String] {
        var facts = [id.text]
        if let run { facts.append("run \(run)\(action.map { ", action \($0)" } ?? "")") }
        if state == .waiting {
            if let opened = json["opened_at_ms"]?.integer { facts.append("waits since \(Timestamp.text(opened))") }
            if let deadline = deadlineUnixMilliseconds { facts.append("until \(Timestamp.text(deadline))") }
            if let allowed { facts.append("may be decided by \(allowed.joined(separator: ", "))") }
        } else {
            let time = json["decided_at_ms"]?.integer.map { " at \(Timestamp.text($0))" } ?? ""
            facts.append((json["state"]?.string ?? "") + (json["by"]?.string.map { " by \($0)" } ?? "") + time)
        }
        let message = json["message"]?.string.map { ["  \($0)"] } ?? []
        return [facts.joined(separator: "  ")] + message
    }
}

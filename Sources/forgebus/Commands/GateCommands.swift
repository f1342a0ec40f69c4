import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus gates`, with its arguments and options.
struct GatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gates",
        abstract: "Lists the gates that wait for your decision, with their messages and how to decide them.",
        discussion: """
            A gate waits for you if its rule and your rights let you decide it, and you have not voted yet. Without keys, all \
            gates wait for everybody.
            """
    )

    @Flag(help: "List the gates that wait for others, too, and those on which you have voted.")
    var all = false

    @OptionGroup var client: ClientOptions

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            var (gates, others): ([HeldSignal], Int) = ([], 0)
            for try await signal in bus.signals(pageSize: WireLimits.pageSize) where signal.type == .gate {
                if all || signal.you ?? .mayDecide == .mayDecide { gates.append(signal) } else { others += 1 }
            }
            for gate in gates {
                let advice = gate.you ?? .mayDecide == .mayDecide ? [client.advice(on: gate.id.text)] : []
                output.show(gate.lines + advice, gate.json)
            }
            let summary = Self.summary(shown: gates.count, others: others)
            if output.format == .text, !summary.isEmpty { Terminal.say(summary) }
            return .done
        }
    }
}

extension GatesCommand {
    /// What the list leaves out, or that it is empty.
    private static func summary(shown: Int, others: Int) -> [String] {
        if others > 0 {
            let gates = others == 1 ? "1 gate waits" : "\(others) gates wait"
            return ["\(shown == 0 ? "no gate waits for you; " : "")\(gates) for others: forgebus gates --all"]
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
            switch you {
            case .voted: facts.append("you have voted")
            case .mayNot: facts.append("you may not decide it")
            case .mayDecide, nil: break
            }
            facts += votes
            if let able = json["may_decide"]?.array?.compactMap(\.string), !able.isEmpty {
                facts.append("may be decided by \(able.joined(separator: ", "))")
            } else if allowed != nil || allowedGroups != nil {
                let groups = (allowedGroups ?? []).map { "group \($0)" }
                facts.append("may be decided by \(((allowed ?? []) + groups).joined(separator: ", "))")
            }
        } else {
            let time = json["decided_at_ms"]?.integer.map { " at \(Timestamp.text($0))" } ?? ""
            facts.append((json["state"]?.string ?? "") + (json["by"]?.string.map { " by \($0)" } ?? "") + time)
        }
        let message = json["message"]?.string.map { ["  \($0)"] } ?? []
        return [facts.joined(separator: "  ")] + message + expected
    }

    /// How many votes the gate needs, and who has voted.
    private var votes: [String] {
        guard let approvals = json["approvals"]?.integer, let rejections = json["rejections"]?.integer else {
            return []
        }
        let cast = (json["votes"]?.array ?? []).compactMap(\.object).map { vote in
            "\(vote["decision"]?.string ?? "voted") by \(vote["by"]?.string ?? "somebody")"
        }
        let needs = "needs \(approvals) approvals, or \(rejections) to reject"
        return [needs] + (cast.isEmpty ? [] : [cast.joined(separator: ", ")])
    }

    /// The values that an approval must or may have, as options of `approve`.
    private var expected: [String] {
        guard let members = json["expects"]?.object?.entries, !members.isEmpty else { return [] }
        let options = members.map { member in
            let shape = member.value.object ?? [:]
            let (type, isRequired) = (shape["type"]?.string ?? "", shape["required"] == true)
            let option = type == "string" ? "--value \(member.key)=…" : "--value \(member.key):=\(type)"
            return isRequired ? option : "[\(option)]"
        }
        return ["  approve with \(options.joined(separator: " "))"]
    }
}

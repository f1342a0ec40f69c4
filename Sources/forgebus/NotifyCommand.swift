import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// `forgebus notify`.
struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Says that something changed on a topic; monitors that follow it are re-evaluated."
    )

    @Argument(help: "What changed: tokens joined by dots.")
    var topic: NameArgument

    @Argument(help: "A hint for people and logs.")
    var body: String?

    @Flag(help: "Wait for the cycles that cover it, and show what they did.")
    var wait = false

    @Option(help: "With --wait: seconds after which to answer even if cycles are pending.")
    var deadline: Double?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard deadline == nil || wait else { throw ValidationError("--deadline goes with --wait.") }
        if let deadline, !(0.001...31_536_000).contains(deadline) {
            throw ValidationError("--deadline takes seconds, from 0.001 to 31536000.")
        }
    }

    func run() async throws {
        let hint = body.map { JSONValue.string($0) }
        guard wait else {
            let acceptance = try await client.ask { bus throws(BusError) in
                try await bus.notify(topic.name, body: hint)
            }
            let count = acceptance.monitors ?? 0
            let followers = count == 1 ? "1 monitor follows" : "\(count) monitors follow"
            return client.output.show(
                "accepted: \(followers) \(topic.name)",
                ["state": "accepted", "monitors": .integer(Int64(count))]
            )
        }
        let limit = deadline.map { Duration.seconds($0) }
        let evaluation = try await client.ask { bus throws(BusError) in
            try await bus.notifyAndWait(topic.name, body: hint, deadline: limit)
        }
        show(evaluation)
        if !evaluation.pending.isEmpty { throw ExitStatus.tryAgain.exit }
        if evaluation.monitors.contains(where: { $0.state == .failed }) { throw ExitStatus.runFailed.exit }
    }

    private func show(_ evaluation: Evaluation) {
        if evaluation.monitors.isEmpty, evaluation.pending.isEmpty {
            client.output.show("no monitor follows \(topic.name)", ["monitors": 0])
        }
        for monitor in evaluation.monitors {
            let cycle = monitor.cycle.map { " cycle \($0)" } ?? ""
            let lines =
                ["\(monitor.monitor.text.padded(to: 22))\(monitor.state.rawValue)\(cycle)"]
                + monitor.actions.map(\.line)
            var object: JSONObject = [
                "monitor": .string(monitor.monitor.text), "state": .string(monitor.state.rawValue),
            ]
            object["cycle"] = monitor.cycle.map { .integer(Int64($0)) }
            object["actions"] = .array(monitor.actions.map { .object($0.json) })
            client.output.show(lines.joined(separator: "\n"), object)
        }
        for monitor in evaluation.pending {
            client.output.show(
                "\(monitor.text.padded(to: 22))pending",
                ["monitor": .string(monitor.text), "state": "pending"]
            )
        }
    }
}

import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus notify`, with its arguments and options.
struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Reports a change on a topic; monitors that follow the topic are evaluated again.",
        discussion: "Example: forgebus notify stock.apples --wait"
    )

    @Argument(help: "The topic that changed: tokens joined by dots.", transform: Words.name)
    var topic: Name

    @Argument(help: "A hint for the actions of the monitors; the command sends it unchanged.")
    var body: String?

    @Flag(
        help: """
            Wait until each monitor that follows the topic has run a cycle that began after this change, and show the \
            results.
            """
    )
    var wait = false

    @Option(
        help: ArgumentHelp(
            "With --wait: after this time, such as 30s or 5m, the worker answers even if some cycles have not ended.",
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var deadline: Duration?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard deadline == nil || wait else { throw ValidationError("--deadline can only be used with --wait.") }
        try TimeSpan.check(deadline, "--deadline", from: .milliseconds(1), to: .seconds(31_536_000))
    }

    func run() async throws {
        let hint = Array((body ?? "").utf8)
        guard wait else { return try await notify(hint) }
        try await client.ask(.several) { bus, output throws(BusError) in
            let evaluation = try await bus.notifyAndWait(Topic(topic), bytes: hint, deadline: deadline)
            show(evaluation, output)
            return Self.status(of: evaluation)
        }
    }

    /// The command's status, which is ``ExitStatus/done`` only if every cycle ran to its end without a failure.
    private static func status(of evaluation: Evaluation) -> ExitStatus {
        if evaluation.monitors.isEmpty, evaluation.pending.isEmpty { return .unheard }
        let states = Set(evaluation.monitors.map(\.state))
        if states.contains(.failed) { return .runFailed }
        return evaluation.pending.isEmpty && states.isSubset(of: [.ran]) ? .done : .tryAgain
    }

    private func notify(_ hint: [UInt8]) async throws {
        try await client.ask(.one) { bus, output throws(BusError) in
            let count = try await bus.notify(Topic(topic), bytes: hint).monitors ?? 0
            let followers = count == 1 ? "1 monitor follows" : "\(count) monitors follow"
            let remedy = count == 0 ? "; to see the topics: \(client.command(["list", "monitors"]))" : ""
            output.show(
                "accepted: \(followers) the topic \"\(topic)\"\(remedy)",
                ["state": "accepted", "monitors": .integer(Int64(count))]
            )
            return .done
        }
    }

    private func show(_ evaluation: Evaluation, _ output: Output) {
        if output.format == .text, evaluation.monitors.isEmpty, evaluation.pending.isEmpty {
            let call = client.command(["list", "monitors"])
            Terminal.say(["no monitor follows the topic \"\(topic)\"; to see the topics: \(call)"])
        }
        for monitor in evaluation.monitors { output.show(monitor.lines, monitor.json) }
        for monitor in evaluation.pending {
            output.show(
                "\(monitor.text.padded(to: 22))pending (its cycle has not ended yet; the worker continues with it)",
                ["monitor": .string(monitor.text), "state": "pending"]
            )
        }
    }
}

extension Evaluation.Monitor {
    /// The outcome for people: a line for the monitor, and a line for each action.
    fileprivate var lines: [String] {
        let cycle = cycle.map { " cycle \($0)" } ?? ""
        let head = "\(monitor.text.padded(to: 22))\(state.rawValue)\(cycle)\(remark)"
        return [head] + actions.map { $0.line() }
    }

    /// What follows if the cycle has not run to its end, in words for people.
    private var remark: String {
        switch state {
        case .ran, .failed: ""
        case .overdue: " (the cycle took longer than its time limit; the worker cancels and repeats it)"
        case .excluded: " (it is paused, or it excludes the screen that is showing; the cycle runs afterwards)"
        }
    }
}

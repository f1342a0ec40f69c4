import ForgeBusClient
import ForgeBusProtocol

/// How `run` and `attach` tell of a run: line by line.
struct RunView {
    private let output: Output

    init(_ output: Output) {
        self.output = output
    }

    /// The worker has taken it.
    func hear(_ acceptance: Acceptance, of request: RequestID) {
        let run = acceptance.run?.text ?? ""
        output.show(
            "accepted   \(run)  (\(acceptance.durability.rawValue); request \(request))",
            [
                "event": "accepted", "run": .string(run), "durability": .string(acceptance.durability.rawValue),
                "id": .string(request.text),
            ]
        )
    }

    /// The run changed.
    func hear(_ progress: RunProgress) { output.show(progress.change.line, progress.change.json) }

    /// Word of the run is told from now on.
    func show(attached state: StateReport.State, of run: RunID) {
        output.show(
            "attached   \(run)  (\(state.rawValue))",
            ["event": "attached", "run": .string(run.text), "state": .string(state.rawValue)]
        )
    }

    /// The run has not ended.
    func show(_ state: StateReport.State, of run: RunID) {
        output.show(
            "\(state.rawValue.padded(to: 11))\(run)",
            ["event": "state", "run": .string(run.text), "state": .string(state.rawValue)]
        )
    }

    /// The run ended: how the command ends, too.
    func show(_ result: RunResult) -> ExitStatus {
        let lines =
            [result.headline] + result.actions.map(\.line)
            + [result.outputsLine, result.abandonedLine].compactMap(\.self)
        output.show(lines.joined(separator: "\n"), result.json)
        return result.state == .completed ? .done : .runFailed
    }
}

import ForgeBusFleet
import ForgeBusProtocol
import Synchronization

/// Prints what the workers of a fleet say: live how many have answered, and at the end a line for each.
///
/// One lock guards the states, because answers come on several threads.
final class FleetView: Sendable {
    private let output: Output
    private let count: Int
    private let columns: FleetTable.Columns
    private let isLive: Bool
    private let states = Mutex<[Name: FleetState]>([:])

    init(_ output: Output, of count: Int, _ columns: FleetTable.Columns) {
        (self.output, self.count, self.columns) = (output, count, columns)
        isLive = output.format == .text && Terminal.isInteractive
    }

    /// Draws how many workers have answered, if there is a terminal.
    var progress: FleetClient.Progress? {
        guard isLive else { return nil }
        return { [self] lines in
            guard let worker = lines.first?.worker, let worst = lines.lazy.map(\.state).min() else { return }
            states.withLock { states in
                states[worker] = worst
                let counts = FleetTable.text(states.values.reduce(into: [:]) { $0[$1, default: 0] += 1 })
                Terminal.redraw(String("\(states.count) of \(count) asked: \(counts)".prefix(Terminal.columns - 1)))
            }
        }
    }

    /// Prints the report, and returns the command's status.
    ///
    /// - Throws: The error of the question.
    func end(
        _ ending: Interruption.Ending<FleetReport>,
        _ workers: [Inventory.Worker],
        _ advice: (FleetReport) -> [String]
    ) throws(BusError) -> ExitStatus {
        if isLive { Terminal.removeRow() }
        let report = try ending.result.get()
        switch output.format {
        case .text: Terminal.say(FleetTable(report, of: workers, columns).lines + advice(report))
        case .json, .jsonl:
            for line in report.lines { output.show("", line.json) }
            output.show("", report.summary)
        }
        return ending.status ?? report.status
    }
}

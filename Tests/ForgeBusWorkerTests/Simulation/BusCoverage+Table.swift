@testable import ForgeBusWorker

extension BusCoverage {
    /// The table, a line for each event, a column for each state.
    var table: String {
        let states = BookState.allCases
        let kinds = EventKind.allCases
        let width = kinds.map { "\($0)".count }.max() ?? 0
        var lines: [String] = []
        for kind in kinds {
            let cells = states.map { state in
                let count = String(self[kind, state])
                return String(repeating: " ", count: max(1, 9 - count.count)) + count
            }
            let name = "\(kind)"
            lines.append(name + String(repeating: " ", count: width - name.count) + cells.joined())
        }
        return (states.enumerated().map { "column \($0.offset + 1): \($0.element.name)" } + lines).joined(
            separator: "\n"
        )
    }
}

import ForgeBusProtocol

/// What a terminal shows of a run while it goes on: a row for each action, of which the last is drawn anew.
///
/// Pure: it has no clock and draws nothing. Actions of a run take turns, so that one row is drawn at a time.
struct RunRows {
    /// One action's row.
    struct Row: Hashable {
        /// The action's latest change.
        let change: ShownChange
        /// When the action began, or was first heard of.
        let beginning: Duration
        /// When the change came.
        let changed: Duration
    }

    /// The row of the action whose turn it is.
    private(set) var current: Row?
    /// The actions that have ended, whose rows stay.
    private(set) var ended: Set<String> = []

    /// The run changed.
    ///
    /// - Parameters:
    ///   - change: What changed.
    ///   - now: The time since the run is shown.
    /// - Returns: The row of an action that has ended; nil where none has.
    mutating func add(_ change: RunProgress.Change, at now: Duration) -> Row? {
        let change = ShownChange(change)
        let beginning = current.flatMap { $0.change.action == change.action ? $0.beginning : nil } ?? now
        let row = Row(change: change, beginning: beginning, changed: now)
        current = change.isEnd ? nil : row
        guard change.isEnd else { return nil }
        ended.insert(change.action)
        return row
    }
}

extension RunRows.Row {
    /// The row as it is drawn.
    ///
    /// - Parameters:
    ///   - now: The time since the run is shown.
    ///   - columns: How wide it may be: what is longer would be drawn on two rows, and stay there.
    ///   - hasColours: Whether its mark is coloured.
    /// - Returns: One row of text.
    func drawn(at now: Duration, columns: Int, hasColours: Bool) -> String {
        let pause = change.pause.map { changed + $0 - now } ?? .zero
        // After the pause the action runs again.
        let mark = change.pause != nil && pause <= .zero ? .running : change.mark
        let sign = hasColours ? "\u{1B}[\(mark.colour)m\(mark.sign)\u{1B}[0m" : mark.sign
        let elapsed = (change.isEnd ? changed : now) - beginning
        let detail = change.detail + change.hint + (pause > .zero ? " in \(pause.inTenths)" : "")
        let text = " \(change.action.padded(to: 20))\(elapsed.inTenths.padded(to: 10))\(detail)"
        return sign + Printable.escaped(text).prefix(max(1, columns - 2))
    }
}

extension Duration {
    /// Seconds with one decimal, minutes from 100 s on: what changes ten times a second at most.
    fileprivate var inTenths: String {
        let tenths = microseconds / 100_000
        guard tenths >= 1_000 else { return "\(tenths / 10).\(tenths % 10) s" }
        let seconds = tenths / 10
        return "\(seconds / 60) min \(seconds % 60) s"
    }
}

import ForgeBusProtocol

/// The rows of a run on a terminal, one for each action.
///
/// The type has no clock and draws nothing. A run executes one action at a time, so only the last row changes and is
/// redrawn.
struct RunRows {
    /// One action's row.
    struct Row: Hashable {
        /// The action's latest change.
        let change: ShownChange
        /// The time from the display's beginning to the first change of this action.
        let beginning: Duration
        /// The time from the display's beginning to the latest change.
        let changed: Duration
    }

    /// The row of the current action.
    private(set) var current: Row?
    /// The names of the ended actions; their rows stay on the terminal.
    private(set) var ended: Set<String> = []

    /// Adds a change of the run.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - now: The time since the display began.
    /// - Returns: The action's row if the change ended the action; otherwise nil.
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
    /// The row as text for a terminal.
    ///
    /// - Parameters:
    ///   - now: The time since the display began.
    ///   - columns: The terminal's width; a longer row is cut.
    ///   - hasColours: Whether the mark at the start of the row has a colour.
    /// - Returns: One row of text.
    func drawn(at now: Duration, columns: Int, hasColours: Bool) -> String {
        let pause = change.pause.map { changed + $0 - now } ?? .zero
        // After the pause, the action executes again.
        let mark = change.pause != nil && pause <= .zero ? .running : change.mark
        let sign = hasColours ? "\u{1B}[\(mark.colour)m\(mark.sign)\u{1B}[0m" : mark.sign
        let elapsed = (change.isEnd ? changed : now) - beginning
        let detail = change.hint + change.detail + (pause > .zero ? " in \(pause.inTenths)" : "")
        let text = " \(change.action.padded(to: 20))\(elapsed.inTenths.padded(to: 10))\(detail)"
        return sign + Printable.escaped(text).prefix(max(1, columns - 2))
    }
}

extension Duration {
    /// Seconds with one decimal, or minutes and seconds from 100 s on; the text changes at most ten times a second.
    fileprivate var inTenths: String {
        let tenths = microseconds / 100_000
        guard tenths >= 1_000 else { return "\(tenths / 10).\(tenths % 10) s" }
        let seconds = tenths / 10
        return "\(seconds / 60) min \(seconds % 60) s"
    }
}

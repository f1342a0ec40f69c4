import ForgeBusProtocol

/// What a terminal shows of a run while it goes on: a line for each action, of which the last is drawn anew.
///
/// Pure: it has no clock and draws nothing. Actions of a run take turns, so that there is one line to be drawn.
struct RunBoard {
    /// What a line says of its action.
    enum Mark: Hashable {
        case running
        case waiting
        case retrying
        case parked
        case completed
        case skipped
        case failed
    }

    /// One action's line.
    struct Line: Hashable {
        let mark: Mark
        let action: String
        /// When its action began, or was first told of.
        let began: Duration
        /// When it ended; nil while it goes on.
        var ended: Duration?
        /// When the next attempt begins, if one is to come; then the action runs again.
        var again: Duration?
        var detail = ""

        /// How long the action takes, or took.
        func elapsed(at now: Duration) -> Duration { (ended ?? now) - began }
    }

    /// The line of the action whose turn it is.
    private(set) var current: Line?
    /// The actions whose lines stay.
    private(set) var told: Set<String> = []

    /// The run changed.
    ///
    /// - Parameters:
    ///   - change: What changed.
    ///   - now: The time since the run is shown.
    /// - Returns: A line that is over and stays; nil where none is.
    mutating func hear(_ change: RunProgress.Change, at now: Duration) -> Line? {
        switch change {
        case .started(let action): set(.running, action, "", at: now)
        case .waiting(let action, let signal): set(.waiting, action, "for \(signal)", at: now)
        case .resumed(let action, let signal): set(.running, action, "\(signal) is decided", at: now)
        case .retrying(let action, let attempt, let after):
            set(.retrying, action, "attempt \(attempt)", at: now)
            current?.again = now + after
        case .parked(let action, let reason): set(.parked, action, "\(reason); redrive the run to go on", at: now)
        case .redriven(let action): set(.running, action, "redriven", at: now)
        case .finished(let action, let result): return finish(action, result, at: now)
        }
        return nil
    }

    private mutating func set(_ mark: Mark, _ action: String, _ detail: String, at now: Duration) {
        let began = current.flatMap { $0.action == action ? $0.began : nil } ?? now
        current = Line(mark: mark, action: action, began: began, detail: detail)
    }

    private mutating func finish(_ action: String, _ result: ActionOutcome.Result, at now: Duration) -> Line {
        let mark: Mark
        var detail = ""
        switch result {
        case .completed: mark = .completed
        case .skipped: mark = .skipped
        case .failed(let reason): (mark, detail) = (.failed, reason)
        }
        set(mark, action, detail, at: now)
        var line = current ?? Line(mark: mark, action: action, began: now)
        line.ended = now
        current = nil
        told.insert(action)
        return line
    }
}

extension RunBoard.Mark {
    /// The mark as a character.
    var glyph: String {
        switch self {
        case .running: "▸"
        case .waiting: "◦"
        case .retrying: "↻"
        case .parked: "‖"
        case .completed: "✓"
        case .skipped: "–"
        case .failed: "✗"
        }
    }

    /// The code of its colour (ECMA-48, 8.3.117).
    var colour: Int {
        switch self {
        case .running: 36
        case .waiting, .retrying, .parked: 33
        case .completed: 32
        case .skipped: 90
        case .failed: 31
        }
    }
}

extension RunBoard.Line {
    /// The line as it is drawn.
    ///
    /// - Parameters:
    ///   - now: The time since the run is shown.
    ///   - columns: How wide it may be: what is longer would be drawn on two rows, and stay there.
    ///   - hasColours: Whether its mark is coloured.
    /// - Returns: One row of text.
    func drawn(at now: Duration, columns: Int, hasColours: Bool) -> String {
        let pause = again.map { $0 - now } ?? .zero
        let mark = mark == .retrying && pause <= .zero ? .running : mark
        let detail = pause > .zero ? "\(detail) in \(pause.inTenths)" : detail
        let glyph = hasColours ? "\u{1B}[\(mark.colour)m\(mark.glyph)\u{1B}[0m" : mark.glyph
        let text = " \(action.padded(to: 20))\(elapsed(at: now).inTenths.padded(to: 10))\(detail)"
        return glyph + Printable.escaped(text).prefix(max(1, columns - 2))
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

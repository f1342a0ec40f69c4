import ForgeBusProtocol

/// A change of a run, formatted for people.
struct ShownChange: Hashable {
    /// The first character of a row on a terminal, with its colour.
    struct Mark: Hashable {
        let sign: String
        /// The code of the colour (ECMA-48, 8.3.117).
        let colour: Int

        static let running = Mark(sign: "▸", colour: 36)
        static let waiting = Mark(sign: "◦", colour: 33)
        static let retrying = Mark(sign: "↻", colour: 33)
        static let parked = Mark(sign: "‖", colour: 33)
        static let completed = Mark(sign: "✓", colour: 32)
        static let skipped = Mark(sign: "–", colour: 90)
        static let failed = Mark(sign: "✗", colour: 31)
    }

    /// The kind of change, such as `started`; the first word in line-by-line output.
    let word: String
    let mark: Mark
    let action: String
    let detail: String
    /// A text that comes before the detail in a row on a terminal, but not in line-by-line output.
    let hint: String
    /// The time until the next attempt; nil if the change does not announce an attempt.
    let pause: Duration?
    /// Whether the action has ended.
    let isEnd: Bool

    private init(
        _ word: String,
        _ mark: Mark,
        _ action: String,
        _ detail: String = "",
        hint: String = "",
        pause: Duration? = nil,
        isEnd: Bool = false
    ) {
        (self.word, self.mark, self.action, self.detail) = (word, mark, action, detail)
        (self.hint, self.pause, self.isEnd) = (hint, pause, isEnd)
    }

    /// Formats a change of a run.
    init(_ change: RunProgress.Change) {
        switch change {
        case .started(let action): self.init("started", .running, action)
        case .waiting(let action, let signal): self.init("waiting", .waiting, action, "for \(signal)")
        case .resumed(let action, let signal):
            self.init("resumed", .running, action, "the wait for \(signal) has ended")
        case .retrying(let action, let attempt, let after, let reason):
            let next = "attempt \(attempt)"
            let detail = reason.isEmpty ? next : ItemTable.joined(reason, next)
            self.init("retrying", .retrying, action, detail, pause: after)
        case .parked(let action, let reason):
            self.init("parked", .parked, action, reason, hint: reason.isEmpty ? "parked" : "parked: ")
        case .redriven(let action): self.init("redriven", .running, action, hint: "redriven")
        case .finished(let action, .completed): self.init("completed", .completed, action, isEnd: true)
        case .finished(let action, .skipped): self.init("skipped", .skipped, action, isEnd: true)
        case .finished(let action, .failed(let reason)): self.init("failed", .failed, action, reason, isEnd: true)
        }
    }

    /// The change in one line.
    var line: String {
        let detail = detail + (pause.map { " in \($0.readable)" } ?? "")
        return word.padded(to: 11) + action + (detail.isEmpty ? "" : "  " + detail)
    }
}

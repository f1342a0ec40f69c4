import Logging

/// One action's part in an evaluation: how it ended, when it started and how long it took.
public struct ActionReport: Sendable, Equatable {
    /// The action.
    public let id: ActionID
    /// How it ended.
    public let result: ActionResult
    /// When it started, counted from the moment the evaluation began to ask its conditions.
    public let start: Duration
    /// How long it took; zero for an action that was not executed.
    public let duration: Duration

    /// Makes a report, for instance to restore one that was stored.
    public init(id: ActionID, result: ActionResult, start: Duration, duration: Duration) {
        self.id = id
        self.result = result
        self.start = start
        self.duration = duration
    }

    /// Whether the action ended with ``ActionResult/failed(_:)``.
    public var isFailed: Bool {
        if case .failed = result { true } else { false }
    }
}

extension [ActionReport] {
    /// Logs what failed, where nobody is given the reports.
    func warn(_ message: Logger.Message, _ logger: Logger) {
        for report in self {
            guard case .failed(let reason) = report.result else { continue }
            logger.warning(message, metadata: ["action": "\(report.id)", "reason": "\(reason)"])
        }
    }
}

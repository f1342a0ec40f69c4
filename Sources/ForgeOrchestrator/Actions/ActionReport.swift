import Logging

/// How one action of an evaluation ended, when it started and how long it took.
public struct ActionReport: Sendable, Equatable {
    /// The action's id.
    public let id: ActionID
    /// How the action ended.
    public let result: ActionResult
    /// When the action started, measured from the beginning of the evaluation.
    ///
    /// Zero if the action had ended before its run was resumed.
    public let start: Duration
    /// How long the action took; zero if the action was not executed, or had ended before its run was resumed.
    public let duration: Duration

    /// Makes a report, for instance to restore a stored one.
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
    /// Logs a warning for each failed action; used for evaluations whose caller gets no reports.
    func warn(_ message: Logger.Message, _ logger: Logger) {
        for report in self {
            guard case .failed(let reason) = report.result else { continue }
            logger.warning(message, metadata: ["action": "\(report.id)", "reason": "\(reason)"])
        }
    }
}

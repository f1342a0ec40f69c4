/// Why a wait with a deadline ended before the signal was completed.
public enum CompletionSignalError: Error, Equatable {
    /// The timeout passed.
    ///
    /// The signal is still not completed; a task can wait for it again.
    case timedOut
    /// The waiting task was cancelled.
    ///
    /// The signal is still not completed; a task can wait for it again.
    case cancelled
}

extension CompletionSignalError: CustomStringConvertible {
    /// The error as a sentence.
    public var description: String {
        switch self {
        case .timedOut: "The signal was not completed in time."
        case .cancelled: "The task that waited for the signal was cancelled."
        }
    }
}

/// How an action ended.
public enum ActionResult: Sendable, Equatable {
    /// The action did its work; what comes after may rely on its effects.
    case completed
    /// The action did not do its work, and that is no error.
    ///
    /// It started and found a precondition unmet that its condition could not check, or it was never executed because
    /// an action it requires did not complete or the run was cancelled.
    case skipped
    /// The action hit an error. The reason is for logs and people: branch on the case, not on the text.
    case failed(String)
}

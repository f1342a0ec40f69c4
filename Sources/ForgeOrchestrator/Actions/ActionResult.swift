/// How an action ended.
public enum ActionResult: Sendable, Equatable {
    /// The action did its work; later actions may rely on its effects.
    case completed
    /// The action did not do its work, but this is not an error.
    ///
    /// Either the action started and found nothing that it could do, or the orchestrator did not execute the action.
    /// The orchestrator skips an action if a required action did not complete, or if the run was cancelled.
    case skipped
    /// The action failed, for the reason given.
    ///
    /// The reason is for logs and people: code should branch on the case, not on the text.
    case failed(String)
}

// Why runs end or wait.
extension Errors {
    /// The reason of a run that is lost because the worker stopped.
    static let lostAtStop = "The worker stopped before the run ended."

    /// The reason of a run that is lost because it could not end before the worker in memory stopped.
    static let lostWhileWaiting =
        "The worker stopped while the run waited for something that could not come in the drain time. The worker "
        + "keeps runs only in memory, so it did not wait for this run."
}

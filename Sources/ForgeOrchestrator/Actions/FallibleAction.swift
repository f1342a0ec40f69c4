/// An action of a sequence or a monitor that may fail, and says so.
///
/// Conform to it beside ``SequenceAction`` or ``MonitorAction``, and implement ``run()`` in place of `execute()`:
///
/// ```swift
/// struct RenewLicence: SequenceAction, FallibleAction {
///     let id: ActionID = "renew-licence"
///     let priority: ActionPriority = .high
///     let renew: @Sendable () async throws -> Bool
///
///     func shouldRun() async -> Bool { true }
///     func run() async throws -> ActionResult {
///         try await renew() ? .completed : .skipped
///     }
/// }
/// ```
///
/// A failure appears in `progress` and `events` of the orchestrator, in a ``MonitorCycle``, and, where nobody is given a
/// report, as a warning in the log. It stops nothing: the next action starts.
public protocol FallibleAction: OrchestratedAction {
    /// Does the work and says how it ended.
    ///
    /// This is what the orchestrator calls, and not `execute()`.
    ///
    /// - Throws: What is to be reported as ``ActionResult/failed(_:)``, with the error's text as the reason.
    func run() async throws -> ActionResult
}

extension FallibleAction {
    /// Calls ``run()`` and drops its result: an orchestrator does not call this.
    public func execute() async {
        _ = await result()
    }

    /// How the work ended; an error is a failure.
    func result() async -> ActionResult {
        do { return try await run() } catch { return .failed("\(error)") }
    }
}

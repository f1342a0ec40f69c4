/// An action of a sequence or a monitor that can report a failure.
///
/// Conform to this protocol and to ``SequenceAction`` or ``MonitorAction``, and implement ``run()`` instead of
/// `execute()`:
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
/// A failure appears in the orchestrator's `progress` and `events`, and in the ``MonitorCycle`` that
/// ``MonitorOrchestrator/nextCycle()`` returns. Callers of `evaluate()` and `reevaluate()` get no reports. So the
/// orchestrator logs the failure as a warning if `evaluate()`, `reevaluate()` or a tick caused the evaluation. After a
/// failure, the next action still starts.
public protocol FallibleAction: OrchestratedAction {
    /// Does the work and returns how it ended.
    ///
    /// The orchestrator calls `run()` instead of `execute()`.
    ///
    /// - Throws: Any error; the orchestrator reports it as ``ActionResult/failed(_:)`` with the error's text as the
    ///   reason.
    func run() async throws -> ActionResult
}

extension FallibleAction {
    /// Calls ``run()`` and ignores its result and errors; an orchestrator never calls this method.
    public func execute() async {
        _ = await result()
    }

    /// Calls ``run()``; returns ``ActionResult/failed(_:)`` if it throws an error.
    func result() async -> ActionResult {
        do { return try await run() } catch { return .failed("\(error)") }
    }
}

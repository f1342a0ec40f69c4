public import ForgeBusStore
public import ForgeOrchestrator

/// Where a worker dies.
public enum CrashPoint: Hashable, Sendable {
    /// Instead of executing this action.
    case before(ActionID)
    /// When this action has had its effect, and nobody knows of it yet.
    case after(ActionID)
}

extension TestWorker {
    /// Has an action of any pipeline fail instead of being executed, so many times from now on.
    ///
    /// Its `ActionPolicy` says what follows, as for any failure.
    public func fail(_ action: ActionID, times: Int = 1, reason: String = "scripted failure") {
        faults.fail(action, times, reason)
    }

    /// Has the worker die where an action stands, once, and another one go on with what is committed then.
    ///
    /// It is as with `kill -9`: no action that was under way goes on, and the one at which the worker died is executed again
    /// by the next worker, with the same `actionToken`. What your actions began outside of their own tasks, and cycles of
    /// monitors, are not reached by that: a cycle under way is cancelled.
    public func crash(_ point: CrashPoint) {
        switch point {
        case .before(let action): faults.dieBefore(action)
        case .after(let action): faults.dieAfter(action)
        }
    }

    /// Has the worker die now, and another one go on with what is committed; then settles.
    ///
    /// - Throws: What keeps the next worker from starting; otherwise as ``advance(by:)`` does.
    public func crash() async throws {
        life.stage.die()
        try await settle()
    }

    /// Has the store refuse everything from now on, until ``healStore()``.
    ///
    /// The worker stops at the first commit that is refused, because it acknowledges nothing that is not kept. What was
    /// asked of it then throws `WorkerError` with code `store`; ``restart()`` puts another worker in its place.
    public func breakStore(
        _ error: StoreError = StoreError(.inputOutput, "The disk does not answer.", next: "Call healStore().")
    ) {
        faults.storeError = error
    }

    /// Has the store do what it is asked again.
    public func healStore() { faults.storeError = nil }

    /// Has the store run short of room, or have enough again, and settles: while it is short the worker takes no new work.
    ///
    /// - Throws: As ``advance(by:)`` does.
    public func setStoreRoom(_ room: StoreRoom) async throws {
        faults.setRoom(room)
        try await settle()
    }
}

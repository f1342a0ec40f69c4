public import ForgeBusStore
public import ForgeOrchestrator

/// The point at which a ``TestWorker`` crashes.
public enum CrashPoint: Hashable, Sendable {
    /// The worker crashes instead of executing this action.
    case before(ActionID)
    /// The worker crashes after this action has executed, and before the worker knows the action's result.
    case after(ActionID)
}

extension TestWorker {
    /// Makes an action fail the next `times` times, in any pipeline, without executing it.
    ///
    /// The action's `ActionPolicy` decides what follows, as after any failure.
    ///
    /// - Parameters:
    ///   - action: The id of the action.
    ///   - times: The number of failures; 0 or less means none.
    ///   - reason: The reason of the failures.
    public func fail(_ action: ActionID, times: Int = 1, reason: String = "scripted failure") {
        faults.fail(action, times, reason)
    }

    /// Makes the worker crash once at a given point; a new worker then continues from the last commit.
    ///
    /// The crash is like `kill -9`: no running action continues, and the new worker executes the action at the crash
    /// point again, with the same `actionToken`. The crash does not stop work that your actions started outside their
    /// own tasks. It does not stop a running cycle of a monitor either, but only cancels its task.
    public func crash(_ point: CrashPoint) {
        switch point {
        case .before(let action): faults.dieBefore(action)
        case .after(let action): faults.dieAfter(action)
        }
    }

    /// Crashes the worker now, starts a new one that continues from the last commit, and waits until it has settled.
    ///
    /// - Throws: The error that keeps the new worker from starting, or an error that ``advance(by:)`` throws.
    public func crash() async throws {
        life.stage.die()
        try await settle()
    }

    /// Makes every operation of the store fail with this error, until you call ``healStore()``.
    ///
    /// The worker stops at the first commit that fails, because it must not acknowledge unsaved changes. Later calls
    /// then throw `WorkerError` with code `store`. To start a new worker, call ``healStore()``, then ``restart()``.
    public func breakStore(
        _ error: StoreError = StoreError(
            .inputOutput,
            "The disk does not answer.",
            next: "Call healStore(), then restart()."
        )
    ) {
        faults.storeError = error
    }

    /// Makes the store work again after ``breakStore(_:)``.
    public func healStore() { faults.storeError = nil }

    /// Reports to the worker whether the store is short of room, and waits until the worker has settled.
    ///
    /// While the store is short of room, the worker accepts no new work.
    ///
    /// - Throws: An error that ``advance(by:)`` throws.
    public func setStoreRoom(_ room: StoreRoom) async throws {
        faults.setRoom(room)
        try await settle()
    }
}

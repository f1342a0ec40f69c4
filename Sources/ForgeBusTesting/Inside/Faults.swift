import ForgeBusStore
import ForgeLocks
import ForgeOrchestrator

/// The faults that a test has scripted; any thread may read them.
final class Faults: Sendable {
    /// A scripted fault that replaces the execution of an action: a failure with a reason, or the worker's crash.
    enum Mishap {
        case failure(String)
        case death
    }

    private struct State {
        var failures: [ActionID: [String]] = [:]
        var deathsBefore: Set<ActionID> = []
        var deathsAfter: Set<ActionID> = []
        var storeError: StoreError?
        var observe: (@Sendable (StoreRoom) -> Void)?
        var room = StoreRoom.ample
    }

    private let state = Guarded(State())

    func fail(_ action: ActionID, _ times: Int, _ reason: String) {
        state.withLock { $0.failures[action, default: []] += Array(repeating: reason, count: max(0, times)) }
    }

    func dieBefore(_ action: ActionID) { state.withLock { _ = $0.deathsBefore.insert(action) } }
    func dieAfter(_ action: ActionID) { state.withLock { _ = $0.deathsAfter.insert(action) } }

    /// Removes and returns the next fault that replaces the execution of the action, or nil if there is none.
    func next(before action: ActionID) -> Mishap? {
        state.withLock { state in
            if state.deathsBefore.remove(action) != nil { return .death }
            guard let reason = state.failures[action]?.first else { return nil }
            state.failures[action]?.removeFirst()
            return .failure(reason)
        }
    }

    /// Whether the worker must crash now, after the action has returned.
    ///
    /// The result is true only once for each scripted crash.
    func diesAfter(_ action: ActionID) -> Bool { state.withLock { $0.deathsAfter.remove(action) != nil } }

    /// The error of every store operation; nil if the store works.
    var storeError: StoreError? {
        get { state.withLock { $0.storeError } }
        set { state.withLock { $0.storeError = newValue } }
    }

    func observeRoom(_ observe: @escaping @Sendable (StoreRoom) -> Void) {
        let room = state.withLock { state in
            state.observe = observe
            return state.room
        }
        if room == .short { observe(.short) }
    }

    func setRoom(_ room: StoreRoom) {
        let observe = state.withLock { state in
            state.room = room
            return state.observe
        }
        observe?(room)
    }
}

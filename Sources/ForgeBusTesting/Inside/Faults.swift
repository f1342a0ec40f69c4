import ForgeBusStore
import ForgeLocks
import ForgeOrchestrator

/// What is to go wrong, from when the test says so; any thread may look.
final class Faults: Sendable {
    /// What befalls an action.
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

    /// What befalls the action in place of being executed; each mishap happens once.
    func next(before action: ActionID) -> Mishap? {
        state.withLock { state in
            if state.deathsBefore.remove(action) != nil { return .death }
            guard let reason = state.failures[action]?.first else { return nil }
            state.failures[action]?.removeFirst()
            return .failure(reason)
        }
    }

    /// Whether the worker dies now that the action has returned.
    func diesAfter(_ action: ActionID) -> Bool { state.withLock { $0.deathsAfter.remove(action) != nil } }

    /// Why commits fail; nil lets them be done.
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

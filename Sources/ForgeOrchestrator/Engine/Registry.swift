import ForgeLocks
import Logging

/// One registered action, and the id under which it was registered.
///
/// A class, so that an evaluation sorts and passes references, and does not copy actions.
final class Registration<Action: Sendable>: Sendable {
    let id: ActionID
    let action: Action
    /// The action's dynamic type, kept because `type(of:)` would copy the action each time.
    let type: any Any.Type
    /// The action as a `FallibleAction`, or nil.
    ///
    /// The cast is made only once, because it takes as long as a short action.
    let fallible: (any FallibleAction)?

    init(id: ActionID, action: Action) {
        self.id = id
        self.action = action
        fallible = action as? any FallibleAction
        // As `Any`: without the conversion, `type(of:)` returns the existential's static type.
        type = Swift.type(of: action as Any)
    }
}

/// The actions of one orchestrator, in registration order; ids are unique.
final class Registry<Action: Sendable>: Sendable {
    /// The registrations, and the set of their ids; the mutex guards this state.
    private struct State {
        var registrations: [Registration<Action>] = []
        var ids: Set<ActionID> = []
    }

    private let state = Guarded(State())
    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    /// Adds an action; if its id is already registered, keeps the first action and logs a warning.
    func add(_ action: Action, as id: ActionID) {
        let isNew = state.withLock { state in
            guard state.ids.insert(id).inserted else { return false }
            state.registrations.append(Registration(id: id, action: action))
            return true
        }
        guard !isNew else { return }
        logger.warning(
            "an action with this id is already registered; the new one is ignored",
            metadata: ["action": "\(id)"]
        )
    }

    /// Removes the action with that id.
    ///
    /// - Returns: The removed action, or nil. The caller releases the action without the lock, because the action's
    ///   `deinit` may use the registry.
    func remove(_ id: ActionID) -> Registration<Action>? {
        state.withLock { state in
            guard state.ids.remove(id) != nil else { return nil }
            return state.registrations.firstIndex { $0.id == id }.map { state.registrations.remove(at: $0) }
        }
    }

    /// Removes all actions.
    ///
    /// - Returns: The removed actions. The caller releases them without the lock, because an action's `deinit` may use
    ///   the registry.
    @discardableResult func removeAll() -> [Registration<Action>] {
        state.withLock { exchange(&$0, with: State()) }.registrations
    }

    /// A snapshot of the registered actions.
    ///
    /// A running evaluation keeps the snapshot it began with.
    var all: [Registration<Action>] {
        state.withLock { $0.registrations }
    }
}

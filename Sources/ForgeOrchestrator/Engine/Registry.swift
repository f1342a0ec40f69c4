import ForgeLocks
import Logging

/// One registered action, with the id it was registered under.
///
/// A class, so that an evaluation sorts and passes on references, whatever the actions are.
final class Registration<Action: Sendable>: Sendable {
    let id: ActionID
    let action: Action
    /// What kind of action it is: to ask the action itself would copy it.
    let type: any Any.Type
    /// The action where it may fail: looked up once, because a cast costs as much as a short action.
    let fallible: (any FallibleAction)?

    init(id: ActionID, action: Action) {
        self.id = id
        self.action = action
        fallible = action as? any FallibleAction
        // As `Any`: of a generic value that is an existential, the existential's own type is told.
        type = Swift.type(of: action as Any)
    }
}

/// The actions of one orchestrator, in registration order, each id once.
final class Registry<Action: Sendable>: Sendable {
    /// Guarded by the mutex.
    private struct State {
        var registrations: [Registration<Action>] = []
        var ids: Set<ActionID> = []
    }

    private let state = Guarded(State())
    private let logger: Logger

    init(logger: Logger) {
        self.logger = logger
    }

    /// Adds an action, unless there is one with its id: the first is kept, and a warning logged.
    func add(_ action: Action, as id: ActionID) {
        let isNew = state.withLock { state in
            guard state.ids.insert(id).inserted else { return false }
            state.registrations.append(Registration(id: id, action: action))
            return true
        }
        guard !isNew else { return }
        logger.warning("duplicate action ignored, the first is kept", metadata: ["action": "\(id)"])
    }

    /// Forgets the action with that id.
    ///
    /// - Returns: It, to be released where no lock is held: its `deinit` may come back here.
    func remove(_ id: ActionID) -> Registration<Action>? {
        state.withLock { state in
            guard state.ids.remove(id) != nil else { return nil }
            return state.registrations.firstIndex { $0.id == id }.map { state.registrations.remove(at: $0) }
        }
    }

    /// Forgets all actions.
    ///
    /// - Returns: Them, to be released where no lock is held: their `deinit` may come back here.
    @discardableResult func removeAll() -> [Registration<Action>] {
        state.withLock { exchange(&$0, with: State()) }.registrations
    }

    /// The actions as they are registered now.
    ///
    /// A running evaluation keeps the ones it began with.
    var all: [Registration<Action>] {
        state.withLock { $0.registrations }
    }
}

public import ForgeBusProtocol

/// Does what an operator asks of a store.
public protocol StoreAdministration: Sendable {
    /// Performs `task` and describes the outcome.
    ///
    /// - Throws: ``StoreError`` when this store has no such task, or the task failed.
    func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject
}

/// What an operator can ask of a store.
public enum StoreTask: Hashable, Sendable {
    /// Reads everything, and reports whether it is sound.
    case verify
    /// Counts what there is.
    case stats
    /// Copies everything to a new file in the store's directory. The copy is the state at the end of copying.
    case backup(name: Name)
}

import ForgeLocks

/// The values that the actions of one run share, by key, and the results of the actions that have ended.
///
/// ``PipelineOrchestrator/evaluate()`` makes a fresh context for every evaluation;
/// ``PipelineOrchestrator/run(context:resuming:onTransition:)`` takes the one it is given, usually seeded. A context
/// belongs to one run at a time. It may be read and written from any thread.
public final class PipelineContext: Sendable {
    /// Guarded by the mutex; nothing of the caller's runs while it is held.
    private struct State {
        var values: [String: any Sendable]
        var results: [ActionID: ActionResult] = [:]
        var current: ActionID?
        var host: (any PipelineHost)?
        /// The keys that were set or removed since somebody asked; nil where nobody does.
        var changed: Set<String>?
    }

    private let state: Guarded<State>

    /// Makes an empty context.
    public init() {
        state = Guarded(State(values: [:]))
    }

    /// Makes a context that holds these values from the start.
    public init(_ seeds: [String: any Sendable]) {
        state = Guarded(State(values: seeds))
    }

    /// Stores a value under a key, in place of what was there.
    public func set<T: Sendable>(_ key: String, _ value: T) {
        // What is replaced is released after the lock, because its `deinit` may come back here.
        _ = state.withLock { state in
            state.changed?.insert(key)
            return state.values.updateValue(value, forKey: key)
        }
    }

    /// The value under a key, or `nil` when there is none or it is of another type.
    ///
    /// A value may also be read as a protocol it conforms to, a superclass, or, for the elements of a collection that
    /// was stored as `[any Sendable]` or `[String: any Sendable]`, as a collection of their common type.
    ///
    /// In a run that a host took over from an earlier process, a value of a `Codable` type of your own was restored from
    /// what was kept of it: that one reads as the type it was stored as, and as no other.
    @inlinable
    public func get<T: Sendable>(_ key: String) -> T? {
        guard let value = value(under: key) else { return nil }
        // Most values are read as what was stored. That is told here, where the caller's compiler knows the type.
        return exactly(value) ?? converted(value)
    }

    @usableFromInline
    func value(under key: String) -> (any Sendable)? {
        state.withLock { $0.values[key] }
    }

    /// Removes the value under a key, if there is one.
    public func remove(_ key: String) {
        _ = state.withLock { state in
            state.changed?.insert(key)
            return state.values.removeValue(forKey: key)
        }
    }

    /// How an action of this run ended, or `nil` while it has not.
    public func result(of id: ActionID) -> ActionResult? {
        state.withLock { $0.results[id] }
    }

    /// All values as they are now.
    ///
    /// In a run that a host took over from an earlier process, what stands for a value of a `Codable` type of your own is
    /// what was kept of it: read that with ``get(_:)``.
    public var values: [String: any Sendable] {
        written.mapValues { ($0 as? WrittenInteger)?.value ?? $0 }
    }

    /// All values as they are now, numbers as they were written.
    package var written: [String: any Sendable] {
        state.withLock { $0.values }
    }

    /// The action of this run that is executing, if one is.
    public var currentActionID: ActionID? {
        state.withLock { $0.current }
    }
}

extension PipelineContext {
    /// The handle of whoever hosts the run, for the functions it adds to a context.
    package var host: (any PipelineHost)? {
        state.withLock { $0.host }
    }

    /// Hangs the host's handle into the context; once.
    package func attach(_ host: any PipelineHost) {
        let isFirst = state.withLock { state in
            guard state.host == nil else { return false }
            state.host = host
            return true
        }
        if !isFirst { fatalError("PipelineContext.attach(_:) called twice — a context has one host") }
    }

    /// From now on ``takeChanges()`` tells which keys were set or removed.
    package func noteChanges() { state.withLock { $0.changed = [] } }

    /// The keys that were set or removed since the last call, with what is under them now; nil for what was removed.
    package func takeChanges() -> [(key: String, value: (any Sendable)?)] {
        state.withLock { state in
            guard let changed = state.changed, !changed.isEmpty else { return [] }
            state.changed = []
            return changed.map { ($0, state.values[$0]) }
        }
    }
}

extension PipelineContext {
    /// Forgets an earlier run and takes over what is known of this one.
    func beginRun(results: [ActionID: ActionResult], capacity: Int) {
        state.withLock { state in
            state.results = results.isEmpty ? Dictionary(minimumCapacity: capacity) : results
            state.current = nil
        }
    }

    func begin(_ id: ActionID) {
        state.withLock { $0.current = id }
    }

    func end(_ id: ActionID, _ result: ActionResult?) {
        state.withLock { state in
            state.results[id] = result
            state.current = nil
        }
    }
}

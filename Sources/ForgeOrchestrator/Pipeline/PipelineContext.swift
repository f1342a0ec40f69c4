import ForgeLocks

/// The values that the actions of one run share, by key, and the results of the actions that have ended.
///
/// ``PipelineOrchestrator/evaluate()`` makes a new context for every evaluation;
/// ``PipelineOrchestrator/run(context:resuming:onTransition:)`` uses the caller's context, which usually holds seeds:
/// the values that the run begins with. Use a context for only one run at a time. Any thread may read and write it.
public final class PipelineContext: Sendable {
    /// The mutable state of the context; the mutex guards it, and no code of the caller runs while the mutex is locked.
    private struct State {
        var values: [String: any Sendable]
        var results: [ActionID: ActionResult] = [:]
        var current: ActionID?
        var host: (any PipelineHost)?
        /// The keys that were set or removed since the last `takeChanges()`; nil before `noteChanges()`.
        var changed: Set<String>?
    }

    private let state: Guarded<State>

    /// Makes an empty context.
    public init() {
        state = Guarded(State(values: [:]))
    }

    /// Makes a context that contains these values.
    public init(_ seeds: [String: any Sendable]) {
        state = Guarded(State(values: seeds))
    }

    /// Stores a value under a key, and replaces the previous value.
    public func set<T: Sendable>(_ key: String, _ value: T) {
        // The replaced value is released after the lock, because its `deinit` may use this context.
        _ = state.withLock { state in
            state.changed?.insert(key)
            return state.values.updateValue(value, forKey: key)
        }
    }

    /// The value under a key, or `nil` if no value is stored there or the value is not a `T`.
    ///
    /// A value can also be read as a protocol that it conforms to, or as its superclass. A collection that was stored
    /// as `[any Sendable]` or `[String: any Sendable]` can be read as a collection of the type that all its elements
    /// have.
    ///
    /// In a run that a host continues after a restart of its process, a value of your own `Codable` type can be read
    /// only as the type that it was stored as.
    @inlinable
    public func get<T: Sendable>(_ key: String) -> T? {
        guard let value = value(under: key) else { return nil }
        // Most values are read as the type that they were stored as. This check is inlined into the caller, where the
        // compiler knows `T`.
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

    /// How an action of this run ended, or `nil` if it has not ended.
    public func result(of id: ActionID) -> ActionResult? {
        state.withLock { $0.results[id] }
    }

    /// A snapshot of all values.
    ///
    /// In a run that a host continues after a restart of its process, a value of your own `Codable` type appears here
    /// in its stored form. Read such a value with ``get(_:)``.
    public var values: [String: any Sendable] {
        written.mapValues { ($0 as? WrittenInteger)?.value ?? $0 }
    }

    /// A snapshot of all values, with restored integers as ``WrittenInteger``.
    package var written: [String: any Sendable] {
        state.withLock { $0.values }
    }

    /// The id of the action that this run is executing now, or nil.
    public var currentActionID: ActionID? {
        state.withLock { $0.current }
    }
}

extension PipelineContext {
    /// The object that hosts the run, for instance in a worker; nil if nothing hosts the run.
    ///
    /// The host's module adds methods to this class in extensions; these methods use the host.
    package var host: (any PipelineHost)? {
        state.withLock { $0.host }
    }

    /// Sets ``host``.
    ///
    /// A second call ends the process.
    package func attach(_ host: any PipelineHost) {
        let isFirst = state.withLock { state in
            guard state.host == nil else { return false }
            state.host = host
            return true
        }
        if !isFirst { fatalError("PipelineContext.attach(_:) was called twice — a context can have only one host") }
    }

    /// Starts to record which keys are set or removed, for ``takeChanges()``.
    package func noteChanges() { state.withLock { $0.changed = [] } }

    /// Returns the keys that were set or removed since the last call, each with its current value.
    ///
    /// The value of a removed key is nil.
    package func takeChanges() -> [(key: String, value: (any Sendable)?)] {
        state.withLock { state in
            guard let changed = state.changed, !changed.isEmpty else { return [] }
            state.changed = []
            return changed.map { ($0, state.values[$0]) }
        }
    }
}

extension PipelineContext {
    /// Replaces the results of an earlier run by the results that are known when this run begins or resumes.
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

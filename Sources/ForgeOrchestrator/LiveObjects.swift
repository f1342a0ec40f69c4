import Synchronization

/// Counts the objects in this process that must not leak; tests read the counts.
package enum LiveObjects {
    /// Counts the tasks that are suspended in a ``CompletionSignal`` or in ``MonitorOrchestrator/nextCycle()``.
    package static let waiters = LiveCount()
    /// Counts the interval loops of monitors.
    package static let loops = LiveCount()
}

/// A counter; each change costs one relaxed atomic operation.
package final class LiveCount: Sendable {
    private let count = Atomic(0)

    func add() { count.wrappingAdd(1, ordering: .relaxed) }
    func remove() { count.wrappingSubtract(1, ordering: .relaxed) }

    /// The number of objects that exist now.
    package var current: Int { count.load(ordering: .relaxed) }
}

/// Lets the host of an evaluation decide whether conditions and actions may still begin.
///
/// For example, another process may have taken over a worker's store. The worker then begins no more conditions and
/// actions, because the other process may execute the same ones.
///
/// A structure with a closure, because optimised programs of Swift 6.3 crash when a task-local value is a closure itself.
package struct ExecutionGate: Sendable {
    /// Called before each condition and each action.
    ///
    /// Once it has returned false, conditions do not hold, and an evaluation ends without a report of the actions that
    /// have not begun.
    package let isOpen: @Sendable () -> Bool

    /// The gate of the current task's evaluations; nil if everything may begin.
    @TaskLocal package static var current: ExecutionGate?

    /// Makes a gate.
    package init(isOpen: @escaping @Sendable () -> Bool) { self.isOpen = isOpen }
}

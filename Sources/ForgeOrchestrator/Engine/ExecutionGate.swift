/// Lets the host of an evaluation decide whether conditions and actions may still begin.
///
/// For example, another process may have taken over a worker's store. The worker then begins no more conditions and
/// actions, because the other process may execute the same ones.
package enum ExecutionGate {
    /// Called before each condition and each action of the current task's evaluations; nil if everything may begin.
    ///
    /// Once it has returned false, conditions do not hold, and an evaluation ends without a report of the actions that
    /// have not begun.
    @TaskLocal package static var isOpen: (@Sendable () -> Bool)?
}

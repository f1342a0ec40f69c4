/// Whether conditions and actions may still begin, as the host of an evaluation says.
///
/// A worker whose store another process may have taken over begins nothing more: the other process may execute the same.
package enum ExecutionGate {
    /// Called before each condition and each action of the current task's evaluations; nil if everything may begin.
    ///
    /// Once it has returned false, conditions do not hold, and an evaluation ends without a report of the actions that
    /// have not begun.
    @TaskLocal package static var isOpen: (@Sendable () -> Bool)?
}

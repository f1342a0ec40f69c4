/// What those who asked for the cycle that runs gave it on its way.
///
/// Everything that a cycle's conditions and actions call sees it, in tasks of their own too unless they are detached.
package enum MonitorBaggage {
    /// In the order in which they asked; empty outside a cycle, and in one that nobody gave anything.
    @TaskLocal package static var current: [any Sendable] = []
}

/// What those who asked for the cycle that runs gave it on its way.
///
/// Everything that a cycle's conditions and actions call sees it, in tasks of their own too unless they are detached.
package enum MonitorBaggage {
    /// In the order in which they asked; empty outside a cycle, and in one that nobody gave anything.
    @TaskLocal package static var current: [any Sendable] = []
}

/// Where the cycles execute that somebody orders, for a host that has threads of its own.
package enum MonitorExecutor {
    /// Nil is Swift's pool.
    @TaskLocal package static var preferred: (any TaskExecutor)?
}

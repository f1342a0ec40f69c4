/// The values that callers attached to their requests for the cycle that is running now.
///
/// The cycle's conditions and actions can read these values. So can the tasks that the conditions and actions start,
/// except detached tasks.
package enum MonitorBaggage {
    /// The attached values, in the order of the requests; empty outside a cycle, and if no caller attached a value.
    @TaskLocal package static var current: [any Sendable] = []
}

/// The executor of the cycles that `nextCycle()` requests, for a host that has threads of its own.
package enum MonitorExecutor {
    /// The executor for the requested cycles; nil uses Swift's thread pool.
    @TaskLocal package static var preferred: (any TaskExecutor)?
}

/// An open store, as the thread that owns it uses it; see ``StoreLane``.
package protocol LaneSession: AnyObject, SendableMetatype {
    /// How the lane gathers commits into groups, before the first group.
    var timing: GroupTiming { get }

    /// Begins; called once, before the first job. Times are in nanoseconds of the uptime.
    func begin(at now: UInt64)

    /// Commits a group that `count` callers requested.
    ///
    /// - Throws: `StoreError`; all these callers get the error.
    func commit(_ group: CommitGroup, of count: Int) throws(StoreError)

    /// Does the work for which commits should not wait; called after each group, and when no job waits.
    func tidy()

    /// When ``lookIfDue(at:)`` must be called if no job comes; nil if it need not.
    var nextLook: UInt64? { get }

    /// Checks from time to time what changes by itself, such as the free room; called after each group, too.
    func lookIfDue(at now: UInt64)

    /// Closes the store, after the last job.
    func close()
}

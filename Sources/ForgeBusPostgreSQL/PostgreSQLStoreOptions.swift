#if PostgreSQL
import ForgeBusStore
import Foundation

/// The options of a store in PostgreSQL; the defaults suit a worker.
public struct PostgreSQLStoreOptions: Sendable {
    /// How long another process must see no renewal of the lease before it takes over the name of the worker.
    ///
    /// All processes of one name should have the same lease. A shorter lease makes a take-over faster, and a worker more
    /// sensitive to a slow network.
    public var lease = Duration.seconds(10)
    /// How long before the end of its lease a process stops to act.
    ///
    /// The margin must be longer than the time in which a message can leave the process, and than the difference between
    /// the clocks of two machines over the time of a lease.
    public var margin = Duration.seconds(2)
    /// The number of changes at which a transaction is full, and takes no further commit.
    public var groupSize = 256
    /// The longest time for which a busy store gathers commits for one transaction.
    public var groupDelay = Duration.milliseconds(1)
    /// The age beyond which the store drops journal entries, a few with each commit.
    public var journalAge = Duration.seconds(7 * 24 * 3600)
    /// The most journal entries to keep; if there are more, each commit drops a few of the oldest entries.
    public var journalEntries = 1_000_000
    /// The most bytes to keep of what all actions printed; if there are more, the store drops the oldest outputs.
    public var outputsSizeInBytes: Int64 = 256 << 20
    /// The most audit entries to keep; if there are more, each commit with audit entries drops a few of the oldest.
    public var auditEntries = 1_000_000

    /// Called when the store begins to wait for another process that holds the worker's name, with what the database
    /// shows of that process: its machine and its number.
    public var waits: (@Sendable (_ holder: String) -> Void)?

    /// Called with the cause when the server cannot be used any more, so that commits wait, and with nil when it can again.
    public var troubles: (@Sendable (_ cause: String?) -> Void)?
    /// Called when this process begins to hold the lease or has renewed it, with the epoch and the time at which it must stop
    /// to act, and with nil in place of that time when it has lost the lease.
    ///
    /// The function must return quickly, and must not use the store.
    public var leaseChanged: (@Sendable (_ epoch: Int64, _ end: ContinuousClock.Instant?) -> Void)?

    /// Creates the default options.
    public init() {}

    /// Checks the options.
    ///
    /// - Throws: `StoreError` with code `usage`.
    func check() throws(StoreError) {
        guard (1...32).contains(name.utf8.count) else {
            throw StoreError(
                .usage,
                "The name \(name) of a worker in a database has \(name.utf8.count) bytes.",
                next: "Use a name of 1 to 32 bytes."
            )
        }
        guard lease >= .seconds(1), margin > .zero, margin * 2 <= lease else {
            throw StoreError(
                .usage,
                "A lease of \(lease) with a margin of \(margin) is not possible.",
                next: "Use a lease of a second or more, and a margin of at most half of it."
            )
        }
    }

    /// The server and the database, as libpq takes them.
    var target = ""
    /// The worker's name.
    var name = ""
    /// What the database shows as the process that holds the name.
    var process = "\(ProcessInfo.processInfo.hostName), process \(ProcessInfo.processInfo.processIdentifier)"
    /// How often a process that waits for the name looks at the lease.
    package var observationInterval = Duration.milliseconds(250)
    /// Called after each look at the lease of another process.
    package var observed: (@Sendable () -> Void)?
    /// Called when the time of a renewal was read, before the renewal is sent.
    package var renewing: (@Sendable () -> Void)?
    /// Whether the lease is renewed by itself, and not only where a confirmation is asked for.
    package var renews = true
    /// How long a request to the server may take before the connection counts as lost.
    package var patience = Duration.seconds(30)
    /// The clock by which leases last; it must go on while the machine sleeps.
    package var clock: @Sendable () -> ContinuousClock.Instant = { .now }
    /// The current time in milliseconds since 1970, for the age of journal entries.
    package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }
}
#endif

#if PostgreSQL
import ForgeBusProtocol
import ForgeBusStore
import Foundation

/// The options of a store in PostgreSQL; the defaults suit a worker.
public struct PostgreSQLStoreOptions: Sendable {
    /// How long another process must see no renewal of the lease before it takes over the name of the worker.
    ///
    /// All processes of one name should have the same lease. A shorter lease makes a take-over faster, and a worker more
    /// sensitive to a slow network.
    public var lease = Duration.seconds(10)
    /// How long before the end of its lease a process stops acting.
    ///
    /// The margin must be longer than a message needs to leave the process, and longer than the difference that can arise
    /// between the clocks of two machines during one lease. It must be positive, and at most half of ``lease``.
    public var margin = Duration.seconds(2)
    /// Whether each commit must also be on the disk of a replica before it is acknowledged.
    ///
    /// The store then refuses a server without `synchronous_standby_names`. The server waits for its replicas. After a
    /// fail-over, the cluster's manager must make sure that the old primary accepts no more commits.
    public var replicated = false
    /// A text that says what the worker hosts, such as a digest of its definitions.
    ///
    /// A process does not take the worker over from a process that failed and had another text, unless
    /// ``replacesDefinitions`` is true: a failure must not change what the worker does. A holder that was stopped released
    /// the name, and everybody may take it. An empty text equals every text.
    public var definitions = ""
    /// Whether the worker is also taken over from a process that failed and had other ``definitions``.
    public var replacesDefinitions = false
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

    /// Called when the store begins to wait for another process that holds the worker's name, and when the reason for the
    /// wait changes.
    public var waits: (@Sendable (Standby) -> Void)?

    /// Why the store waits for the worker's name.
    ///
    /// Each case has what the database shows of the process that holds the name, or held it last: the host name of its
    /// machine, and its process id.
    public enum Standby: Hashable, Sendable {
        /// The process holds the name; the store takes it over when the process has failed or is stopped.
        case held(by: String)
        /// The process holds the name with other definitions; the store takes it over only when the process is stopped.
        case heldWithOtherDefinitions(by: String)
        /// The process has failed, and had other definitions: nobody works as the worker.
        case failedWithOtherDefinitions(String)
    }

    /// Called with the cause when the server stops working, so that commits wait, and with nil when it works again.
    public var troubles: (@Sendable (_ cause: String?) -> Void)?
    /// Called each time that this process gets, renews or loses the lease.
    ///
    /// `epoch` is the number of the take-over. `end` is the time at which this process must stop acting, if it does not
    /// renew the lease before; nil means that the process has lost the lease. The function must return quickly, and must
    /// not use the store.
    public var leaseChanged: (@Sendable (_ epoch: Int64, _ end: ContinuousClock.Instant?) -> Void)?

    /// Creates the default options.
    public init() {}

    /// Checks the options.
    ///
    /// - Throws: `StoreError` with code `usage`.
    func check() throws(StoreError) {
        guard (1...32).contains(name.utf8.count) else {
            throw Errors.badName(name)
        }
        guard lease >= .seconds(1), margin > .zero, margin * 2 <= lease else {
            throw Errors.badLease(lease, margin: margin)
        }
    }

    /// The server and the database, as libpq takes them.
    var target = ""
    /// The worker's name.
    var name = ""
    /// What the database shows as the process that holds the name.
    var process = "\(ProcessInfo.processInfo.hostName), process \(ProcessInfo.processInfo.processIdentifier)"
    /// Whether an unfinished copy is loaded, too, in order to complete it.
    package var loadsUnfinishedCopies = false
    /// How often a process that waits for the name looks at the lease.
    package var observationInterval = Duration.milliseconds(250)
    /// Called after each look at the lease of another process.
    package var observed: (@Sendable () -> Void)?
    /// Called before each renewal is sent, after the clock was read for it.
    package var renewing: (@Sendable () -> Void)?
    /// Whether the store renews the lease regularly; if not, it renews the lease only for `StoreLease.confirm(_:)`.
    package var renews = true
    /// How long a request to the server may take before the connection counts as lost.
    package var patience = Duration.seconds(30)
    /// Returns the time of the clock that measures leases; this clock must continue while the machine sleeps.
    package var clock: @Sendable () -> ContinuousClock.Instant = { .now }
    /// The current time in milliseconds since 1970, for the age of journal entries.
    package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) }
}
#endif

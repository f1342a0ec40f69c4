import ForgeBusProtocol
import ForgeBusStore

/// Why the cycles of a monitor fail.
struct MonitorTrouble: Equatable {
    /// How many cycles in a row have failed or taken too long.
    let failures: Int
    /// When the latest of these cycles ended, in milliseconds since 1970.
    let unixMilliseconds: Int64
    /// The failed actions with their reasons, or that the cycle took too long.
    let reason: String
}

extension MonitorTrouble {
    /// Restores that a cycle of an earlier worker failed.
    init(_ record: TroubleRecord) {
        self.init(failures: 1, unixMilliseconds: record.since, reason: Errors.failedBefore(record.monitor))
    }
}

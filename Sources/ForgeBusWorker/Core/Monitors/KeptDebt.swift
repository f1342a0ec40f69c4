import ForgeBusProtocol
import ForgeBusStore

/// The durable notifications of a monitor that no cycle has covered yet.
struct KeptDebt {
    private var owed = MonitorCauses()
    private var running = MonitorCauses()

    /// Whether cycles have covered all durable notifications.
    var isEmpty: Bool { owed.isEmpty && running.isEmpty }

    /// Adds a durable notification.
    mutating func add(_ notice: Notice) { owed.add(notice) }

    /// Adds the notifications that an earlier worker left.
    mutating func add(_ causes: MonitorCauses) { owed.add(causes) }

    /// Begins a cycle that covers all notifications so far.
    mutating func cycleBegan() { (running, owed) = (owed, MonitorCauses()) }

    /// Ends the cycle; unless `isCovered`, the next cycle must cover its notifications again.
    ///
    /// A cycle that failed or was overdue has not covered its notifications.
    ///
    /// - Returns: Whether the record for the store has changed.
    mutating func cycleEnded(isCovered: Bool) -> Bool {
        guard !running.isEmpty else { return false }
        if !isCovered {
            var all = running
            all.add(owed)
            owed = all
        }
        running = MonitorCauses()
        return isCovered
    }

    /// The record of all these notifications for the store.
    func record(of monitor: Name) -> DebtRecord {
        var all = running
        all.add(owed)
        return DebtRecord(
            monitor: monitor,
            causes: all.topics.map(DebtRecord.Cause.init),
            others: all.others,
            principals: all.principals
        )
    }
}

extension DebtRecord.Cause {
    fileprivate init(_ cause: MonitorCauses.Cause) {
        self.init(
            topic: cause.topic,
            count: cause.count,
            first: cause.firstUnixMilliseconds,
            last: cause.lastUnixMilliseconds,
            publisher: cause.publisher,
            traceIDs: cause.traceIDs,
            body: cause.lastBody,
            bodySizeInBytes: cause.lastBodySizeInBytes
        )
    }
}

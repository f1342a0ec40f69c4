import ForgeBusProtocol
import ForgeBusStore

/// The notifications of a monitor that were to survive the worker, and are not covered yet.
struct KeptDebt {
    private var owed = MonitorCauses()
    private var running = MonitorCauses()

    /// Whether there are none.
    var isEmpty: Bool { owed.isEmpty && running.isEmpty }

    /// One more is to survive.
    mutating func add(_ notice: Notice) { owed.add(notice) }

    /// An earlier worker left these.
    mutating func add(_ causes: MonitorCauses) { owed.add(causes) }

    /// A cycle begins that covers all that is owed.
    mutating func cycleBegan() { (running, owed) = (owed, MonitorCauses()) }

    /// It ended; what it did not cover is owed again.
    ///
    /// - Returns: Whether something is to be kept otherwise than before.
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

    /// What a store keeps of it.
    func record(of monitor: Name) -> DebtRecord {
        var all = running
        all.add(owed)
        return DebtRecord(monitor: monitor, causes: all.topics.map(DebtRecord.Cause.init), others: all.others)
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

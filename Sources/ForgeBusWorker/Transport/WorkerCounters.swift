public import ForgeBusProtocol

/// The counters of a worker since it began.
public struct WorkerCounters: Hashable, Sendable {
    /// The counts in the order of the counters.
    private var counts = [Int](repeating: 0, count: WorkerCounter.allCases.count)
    /// What ``subscript(_:)`` counts as `publications_refused`, by error code.
    public private(set) var publicationsRefused: [ErrorCode: Int] = [:]

    /// The count of a counter.
    public internal(set) subscript(counter: WorkerCounter) -> Int {
        get { counts[counter.rawValue] }
        set { counts[counter.rawValue] = newValue }
    }

    /// Counts a published message that had no effect.
    mutating func refusePublication(_ code: ErrorCode) {
        self[.publicationsRefused] += 1
        publicationsRefused[code, default: 0] += 1
    }

    /// The counters by their names in the answer to SHOW.
    var json: JSONObject {
        var json: JSONObject = [:]
        for counter in WorkerCounter.allCases { json[counter.name] = .integer(Int64(self[counter])) }
        return json
    }
}

import ForgeBusProtocol
import ZeroMQ

/// Names one watch: the connection that wants to know, and the request it asked with.
struct WatchKey: Hashable, Sendable {
    let peer: PeerID
    let request: RequestID
}

/// Who is told what happens, and how much more of it each of them takes.
///
/// Lossy: an event that cannot be handed over is counted, and the next one says how many are missing.
struct WatchBook {
    /// One watch.
    struct Watch {
        let principal: AccessPolicy.Principal
        let pattern: NamePattern
        /// How many more events are taken.
        var credit: Int
        /// How many there were, lost ones too.
        var sequence = 0
        /// How many were lost since the last one that was told.
        var lost = 0
    }

    /// An event for one watch.
    struct Told {
        let key: WatchKey
        let event: BusEvent
        /// Whether the credit ends with it.
        let isLast: Bool
    }

    private var watches: [WatchKey: Watch] = [:]
    /// The most credit a watch may gather.
    private static let mostCredit = WireLimits.credit

    /// How many watches there are.
    var count: Int { watches.count }

    /// Whether nobody is told anything.
    var isEmpty: Bool { watches.isEmpty }

    /// Whether this watch is open.
    func isOpen(_ key: WatchKey) -> Bool { watches[key] != nil }

    /// A watch begins, or gets more credit where it is open already.
    ///
    /// A watch keeps the pattern it began with: whoever wants another begins another.
    ///
    /// - Returns: Whether it did: not when the watch is open with another pattern.
    mutating func open(_ key: WatchKey, _ request: WatchRequest, for principal: AccessPolicy.Principal) -> Bool {
        var watch = watches[key] ?? Watch(principal: principal, pattern: request.pattern, credit: 0)
        guard watch.pattern == request.pattern else { return false }
        watch.credit = min(watch.credit + request.credit, Self.mostCredit)
        watches[key] = watch
        return true
    }

    /// The watches of those end who are not to be told any more.
    mutating func closeAll(where isGone: (AccessPolicy.Principal) -> Bool) {
        watches = watches.filter { !isGone($0.value.principal) }
    }

    /// A watch ends.
    mutating func close(_ key: WatchKey) { watches[key] = nil }

    /// Something happened.
    ///
    /// - Returns: Who is to be told, in no particular order.
    mutating func tell(
        _ subject: EventSubject,
        _ body: JSONObject,
        mayRead: (AccessPolicy.Principal) -> Bool
    ) -> [Told] {
        var told: [Told] = []
        for (key, watch) in watches where watch.pattern.matches(subject) && mayRead(watch.principal) {
            let sequence = watch.sequence + 1
            let event = BusEvent(subject, sequence: sequence, lost: watch.lost, body: body)
            told.append(Told(key: key, event: event, isLast: watch.credit == 1))
            watches[key]?.sequence = sequence
            watches[key]?.lost = 0
            watches[key]?.credit -= 1
            if watch.credit == 1 { watches[key] = nil }
        }
        return told
    }

    /// An event did not reach the connection; it is counted with the ones lost before it.
    mutating func lost(_ key: WatchKey) { watches[key]?.lost += 1 }
}

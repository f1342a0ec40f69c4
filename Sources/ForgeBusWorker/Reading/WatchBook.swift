import ForgeBusProtocol

/// Who is told what happens, and how much more of it each of them takes.
///
/// Lossy: whether an event reached its connection is only known once it was handed over, perhaps after a commit. So each
/// one that was told is answered with ``taken(_:)`` or ``lost(_:)``, and only then does its credit count as used up.
struct WatchBook {
    /// One watch.
    private struct Watch {
        let principal: AccessPolicy.Principal
        let pattern: NamePattern
        /// Tells it from others that were begun under its key, before and after.
        let number: UInt64
        /// How many more events are taken, beside those under way.
        var credit: Int
        /// How many were told, and not yet answered with what became of them.
        var underWay = 0
        /// How many there were, lost ones too.
        var sequence = 0
        /// The number of the last one that reached the connection.
        var taken = 0

        /// Whether it has no credit left, and none comes back from an event that is lost.
        var isOver: Bool { credit == 0 && underWay == 0 }
    }

    /// Which bound keeps a watch out.
    enum Shortage {
        case ofConnection, ofPrincipal, inAll
    }

    private var watches: [WatchKey: Watch] = [:]
    private let limits: WorkerLimits
    /// When connections were last looked at for room.
    private var probed: Moment?
    private var lastNumber: UInt64 = 0
    /// The most credit a watch may gather.
    private static let mostCredit = WireLimits.credit
    /// Connections are looked at for room once in this time at most, however many ask for it.
    private static let pauseBetweenProbes: Duration = .seconds(1)

    init(limits: WorkerLimits) { self.limits = limits }

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
        lastNumber += 1
        let begun = Watch(principal: principal, pattern: request.pattern, number: lastNumber, credit: 0)
        var watch = watches[key] ?? begun
        guard watch.pattern == request.pattern else { return false }
        watch.credit = min(watch.credit + request.credit, Self.mostCredit)
        watches[key] = watch
        return true
    }

    /// Why there is no room for a watch; nil if there is, or if it is open already.
    func shortage(for key: WatchKey, of principal: AccessPolicy.Principal) -> Shortage? {
        guard watches[key] == nil else { return nil }
        if watches.count >= limits.watches { return .inAll }
        // Below the smallest bound nothing needs to be counted.
        guard watches.count >= min(limits.watchesPerPrincipal, limits.watchesPerConnection) else { return nil }
        let ofCaller = watches.keys.count { $0.caller == key.caller }
        if ofCaller >= limits.watchesPerConnection { return .ofConnection }
        let own = watches.values.count { $0.principal.name == principal.name }
        return own >= limits.watchesPerPrincipal ? .ofPrincipal : nil
    }

    /// The connections that may be gone, where a watch finds room only if one of them is.
    ///
    /// That a connection is gone is noticed when something is sent to it, and somebody who watches what never happens is
    /// sent nothing.
    func doubtful(for key: WatchKey, of principal: AccessPolicy.Principal, at now: Moment) -> Set<ConnectionID> {
        if let probed, now.since(probed) < Self.pauseBetweenProbes { return [] }
        switch shortage(for: key, of: principal) {
        case nil, .ofConnection: return []
        case .ofPrincipal:
            return Set(watches.lazy.filter { $0.value.principal.name == principal.name }.map(\.key.caller.connection))
        case .inAll: return Set(watches.keys.lazy.map(\.caller.connection))
        }
    }

    /// Connections were looked at, and these are gone.
    mutating func probed(gone: [ConnectionID], at now: Moment) {
        probed = now
        let gone = Set(gone)
        watches = watches.filter { !gone.contains($0.key.caller.connection) }
    }

    /// The watches of those end who are not to be told any more.
    mutating func closeAll(where isGone: (AccessPolicy.Principal) -> Bool) {
        watches = watches.filter { !isGone($0.value.principal) }
    }

    /// The watches of a connection end.
    mutating func closeAll(of connection: ConnectionID) {
        guard watches.keys.contains(where: { $0.caller.connection == connection }) else { return }
        watches = watches.filter { $0.key.caller.connection != connection }
    }

    /// The watches of a caller end, whose connection is another's now.
    mutating func closeAll(of caller: Caller) {
        guard watches.keys.contains(where: { $0.caller == caller }) else { return }
        watches = watches.filter { $0.key.caller != caller }
    }

    /// The connections that watch, some of them more than once.
    var connections: some Sequence<ConnectionID> { watches.keys.lazy.map(\.caller.connection) }

    /// A watch ends.
    mutating func close(_ key: WatchKey) { watches[key] = nil }
}

// Telling, and what becomes of what was told.
extension WatchBook {
    /// Something happened.
    ///
    /// - Returns: Who is to be told, in no particular order.
    mutating func tell(
        _ subject: EventSubject,
        _ body: JSONObject,
        mayRead: (AccessPolicy.Principal) -> Bool
    ) -> [ToldEvent] {
        var told: [ToldEvent] = []
        for (key, var watch) in watches where watch.pattern.matches(subject) && mayRead(watch.principal) {
            watch.sequence += 1
            // Without credit it waits for what becomes of its last event: if that is lost, this one is missing, too.
            if watch.credit > 0 {
                watch.credit -= 1
                watch.underWay += 1
                let sequence = watch.sequence
                told.append(ToldEvent(key: key, watch: watch.number, sequence: sequence, subject: subject, body: body))
            }
            watches[key] = watch
        }
        return told
    }

    /// What is said of an event that is handed over now: nil where its watch has ended.
    ///
    /// How many were lost before it is known only now.
    func event(for told: ToldEvent) -> BusEvent? {
        guard let watch = watch(of: told) else { return nil }
        let lost = told.sequence - watch.taken - 1
        return BusEvent(told.subject, sequence: told.sequence, lost: lost, body: told.body)
    }

    /// An event has reached its connection.
    ///
    /// - Returns: Whether the watch has ended with it, because its credit is used up.
    mutating func taken(_ told: ToldEvent) -> Bool {
        guard var watch = watch(of: told) else { return false }
        watch.underWay -= 1
        watch.taken = told.sequence
        watches[told.key] = watch.isOver ? nil : watch
        return watch.isOver
    }

    /// An event did not reach its connection: its credit comes back.
    mutating func lost(_ told: ToldEvent) {
        guard var watch = watch(of: told) else { return }
        watch.underWay -= 1
        watch.credit = min(watch.credit + 1, Self.mostCredit)
        watches[told.key] = watch
    }

    private func watch(of told: ToldEvent) -> Watch? {
        guard let watch = watches[told.key], watch.number == told.watch else { return nil }
        return watch
    }
}

// What requests and the store lead to.
extension WatchBook {
    /// Somebody wants to be told what happens; answered only where that cannot be.
    mutating func watch(_ request: WatchRequest, _ received: Received, _ out: inout Outbox) {
        let key = WatchKey(caller: received.caller, request: received.request.id)
        if let shortage = shortage(for: key, of: received.principal) {
            return out.refuse(received, .busy("watches", shortage.cause))
        }
        if !open(key, request, for: received.principal) {
            out.refuse(received, .conflict(received.request.id, nil))
        }
    }

    /// Somebody wants to be told no more.
    mutating func unwatch(_ received: Received, _ out: inout Outbox) {
        close(WatchKey(caller: received.caller, request: received.request.id))
        out.answer(received, .ok(StateReport(.unwatched)))
    }

    /// An event was handed to its connection, or lost because that has no room.
    mutating func told(_ told: ToldEvent, isTaken: Bool, _ out: inout Outbox) {
        guard isTaken else { return lost(told) }
        if taken(told) { out.answer(told.key.caller, told.key.request, .ok(StateReport(.creditEnded))) }
    }

    /// Puts what each watch is told of what was published where it was published among the effects.
    mutating func tell(_ access: AccessPolicy, _ out: inout Outbox) {
        var shift = 0
        for news in out.takeNews() {
            let told = tell(news.subject, news.body) {
                access.ruling(for: $0, .read, on: .event(news.subject)) == .allowed
            }
            out.insert(told.map { .tell($0) }, at: news.place + shift)
            shift += told.count
        }
    }
}

extension WatchBook.Shortage {
    fileprivate var cause: String {
        switch self {
        case .ofConnection: "This connection has too many watches."
        case .ofPrincipal: "There are too many watches of one principal."
        case .inAll: "There are too many watches."
        }
    }
}

import ForgeBusProtocol

/// The open watches, and how many more events each of them accepts.
///
/// Events can be lost. The worker learns whether an event reached the watch's connection only after handing it over,
/// perhaps after a commit. So each sent event takes one from the watch's credit. Later, ``taken(_:)`` confirms the
/// event, or ``lost(_:)`` gives the credit back.
struct Watches {
    /// One watch.
    private struct Watch {
        let principal: AccessPolicy.Principal
        let pattern: NamePattern
        /// Distinguishes the watch from earlier and later watches under the same key.
        let number: UInt64
        /// How many more events the watch accepts; events on their way are not included.
        var credit: Int
        /// The number of sent events that have neither reached the connection nor been lost yet.
        var underWay = 0
        /// The number of events so far, including lost ones.
        var sequence = 0
        /// The number of the last event that reached the connection.
        var taken = 0

        /// Whether the watch has no credit left, and no event on its way that would give credit back if it is lost.
        var isOver: Bool { credit == 0 && underWay == 0 }
    }

    /// The limit that a new watch would exceed.
    enum Shortage {
        case ofConnection, ofPrincipal, inAll
    }

    private var watches: [WatchKey: Watch] = [:]
    private let limits: WorkerLimits
    /// When the worker last checked whether connections are gone.
    private var probed: Moment?
    private var lastNumber: UInt64 = 0
    /// The most credit that a watch may have.
    private static let mostCredit = WireLimits.credit
    /// The shortest time between two checks for connections that are gone.
    private static let pauseBetweenProbes: Duration = .seconds(1)

    init(limits: WorkerLimits) { self.limits = limits }

    /// The number of open watches.
    var count: Int { watches.count }

    /// Whether there are no watches.
    var isEmpty: Bool { watches.isEmpty }

    /// Whether this watch is open.
    func isOpen(_ key: WatchKey) -> Bool { watches[key] != nil }

    /// Opens a watch, or gives an open watch more credit.
    ///
    /// A watch keeps its first pattern; another pattern needs another watch.
    ///
    /// - Returns: Whether the watch is open with this pattern; false if it was opened with another pattern, or for another
    ///   principal.
    mutating func open(_ key: WatchKey, _ request: WatchRequest, for principal: AccessPolicy.Principal) -> Bool {
        lastNumber += 1
        let begun = Watch(principal: principal, pattern: request.pattern, number: lastNumber, credit: 0)
        var watch = watches[key] ?? begun
        guard watch.pattern == request.pattern, watch.principal.name == principal.name else { return false }
        watch.credit = min(watch.credit + request.credit, Self.mostCredit)
        watches[key] = watch
        return true
    }

    /// The limit that a new watch would exceed; nil if it would exceed no limit, or if the watch is open already.
    func shortage(for key: WatchKey, of principal: AccessPolicy.Principal) -> Shortage? {
        guard watches[key] == nil else { return nil }
        if watches.count >= limits.watches { return .inAll }
        // Below the smallest limit nothing needs to be counted.
        guard watches.count >= min(limits.watchesPerPrincipal, limits.watchesPerConnection) else { return nil }
        let ofCaller = watches.keys.count { $0.caller == key.caller }
        if ofCaller >= limits.watchesPerConnection { return .ofConnection }
        let own = watches.values.count { $0.principal.name == principal.name }
        return own >= limits.watchesPerPrincipal ? .ofPrincipal : nil
    }

    /// The connections to check before a limit refuses a new watch; if one of them is gone, the watch fits.
    ///
    /// The worker notices that a connection is gone only when it sends something, and it sends nothing to a watch
    /// without events.
    func doubtful(for key: WatchKey, of principal: AccessPolicy.Principal, at now: Moment) -> Set<ConnectionID> {
        if let probed, now.since(probed) < Self.pauseBetweenProbes { return [] }
        switch shortage(for: key, of: principal) {
        case nil, .ofConnection: return []
        case .ofPrincipal:
            return Set(watches.lazy.filter { $0.value.principal.name == principal.name }.map(\.key.caller.connection))
        case .inAll: return Set(watches.keys.lazy.map(\.caller.connection))
        }
    }

    /// Removes the watches of connections that a check found to be gone.
    mutating func probed(gone: [ConnectionID], at now: Moment) {
        probed = now
        let gone = Set(gone)
        watches = watches.filter { !gone.contains($0.key.caller.connection) }
    }

    /// Ends the watches of a connection.
    mutating func closeAll(of connection: ConnectionID) {
        guard watches.keys.contains(where: { $0.caller.connection == connection }) else { return }
        watches = watches.filter { $0.key.caller.connection != connection }
    }

    /// Ends the watches of a caller whose connection now belongs to another principal.
    mutating func closeAll(of caller: Caller) {
        guard watches.keys.contains(where: { $0.caller == caller }) else { return }
        watches = watches.filter { $0.key.caller != caller }
    }

    /// The connections with watches; a connection with several watches occurs several times.
    var connections: some Sequence<ConnectionID> { watches.keys.lazy.map(\.caller.connection) }

    /// Ends a watch.
    mutating func close(_ key: WatchKey) { watches[key] = nil }
}

// Sending events, and recording whether they reached their connections.
extension Watches {
    /// Counts an event in each watch that matches and may read it, and makes the event for each such watch with credit.
    ///
    /// - Returns: The events to send, in no particular order.
    mutating func tell(
        _ subject: EventSubject,
        _ body: JSONObject,
        mayRead: (AccessPolicy.Principal) -> Bool
    ) -> [ToldEvent] {
        var told: [ToldEvent] = []
        for (key, var watch) in watches where watch.pattern.matches(subject) && mayRead(watch.principal) {
            watch.sequence += 1
            // A watch without credit does not get the event. If its last event is lost, this event counts as lost, too.
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

    /// The event to send now; nil if its watch has ended.
    ///
    /// The event contains the number of events lost before it, which is known only now.
    func event(for told: ToldEvent) -> BusEvent? {
        guard let watch = watch(of: told) else { return nil }
        let lost = told.sequence - watch.taken - 1
        return BusEvent(told.subject, sequence: told.sequence, lost: lost, body: told.body)
    }

    /// Records that an event has reached its connection.
    ///
    /// - Returns: Whether the watch ended with this event, because its credit is used up.
    mutating func taken(_ told: ToldEvent) -> Bool {
        guard var watch = watch(of: told) else { return false }
        watch.underWay -= 1
        watch.taken = told.sequence
        watches[told.key] = watch.isOver ? nil : watch
        return watch.isOver
    }

    /// Records that an event did not reach its connection, and gives the credit back to the watch.
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

// A new policy.
extension Watches {
    /// Ends the watches that a new policy no longer allows, and returns why, in the order of their beginnings.
    mutating func endWaits(under policy: AccessPolicy) -> [(key: WatchKey, error: BusError)] {
        watches.sorted { $0.value.number < $1.value.number }.compactMap { key, watch in
            let command = Request.Command.watch(WatchRequest(watch.pattern, credit: 1))
            guard let error = policy.endOfWait(command, of: watch.principal) else { return nil }
            close(key)
            return (key, error)
        }
    }
}

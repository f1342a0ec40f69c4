import DequeModule

/// Decides which connections a gateway keeps.
///
/// A connection is *quiet* while the gateway has no whole request of it: before the first request, between two requests,
/// and until a request has arrived completely. When an address or the gateway has too many connections, those that have
/// been quiet for the longest give way. If none is quiet, a new connection gets a place of the reserve, where the gateway
/// answers only probes.
///
/// Pure: the caller closes the connections that this value names.
struct ConnectionBook<ID: Hashable & Sendable>: Sendable {
    struct Limits: Hashable, Sendable {
        /// The most connections, with those of the reserve.
        var all: Int
        /// The most connections that only probes may use, when there is no other place left.
        var reserve: Int
        /// The most connections of one address, without those of the reserve.
        var perAddress: Int
    }

    /// What is known of a new connection.
    enum Knock: Hashable, Sendable {
        /// Nothing: it has just come.
        case fresh
        /// Its first bytes are those of a probe.
        case probe
        /// It has had some time, and its first bytes are not those of a probe.
        case other
    }

    /// Where a new connection goes.
    enum Place: Hashable, Sendable {
        case common
        /// The gateway answers only probes on this connection.
        case reserve
        /// Too many connections have given way lately: the caller asks again when it knows more than ``Knock/fresh``.
        case later
        /// The connection is to be closed.
        case none
    }

    /// A limit that was reached.
    enum Limit: Hashable, Sendable {
        /// The number of all connections.
        case all
        /// The number of connections of one address.
        case address(ClientAddress)
    }

    private struct Entry {
        /// The address whose limit counts; nil for a connection of the trusted proxy between two requests.
        var address: ClientAddress?
        let isReserve: Bool
        var isOfProxy = false
        /// The place in the line of the quiet connections; nil while the gateway answers.
        var turn: UInt64?
    }

    private struct Address {
        var count = 0
        var line = Line()
    }

    /// Quiet connections, in the order in which they became quiet.
    ///
    /// A connection that is not quiet any more, or is closed, stays in the line until it is the first.
    private struct Line {
        private var turns: Deque<(turn: UInt64, id: ID)> = []

        mutating func append(_ turn: UInt64, _ id: ID, where isCurrent: (UInt64, ID) -> Bool, of count: Int) {
            if turns.count > 2 * count + 64 { turns.removeAll { !isCurrent($0.turn, $0.id) } }
            turns.append((turn, id))
        }

        mutating func first(where isCurrent: (UInt64, ID) -> Bool) -> ID? {
            while let first = turns.first {
                if isCurrent(first.turn, first.id) { return first.id }
                turns.removeFirst()
            }
            return nil
        }
    }

    let limits: Limits
    private var entries: [ID: Entry] = [:]
    private var addresses: [ClientAddress: Address] = [:]
    private var common = Line()
    private var reserve = Line()
    private var reserveCount = 0
    private var latestTurn: UInt64 = 0
    private var budget = ClosingBudget()
    /// The limits that are reached, and when each last closed or refused a connection.
    private var reached: [Limit: ContinuousClock.Instant] = [:]

    /// How many connections the limits have closed or refused.
    private(set) var turnedAway = 0
    /// How many connections are open.
    var count: Int { entries.count }

    init(_ limits: Limits) { self.limits = limits }

    /// How long a limit must not have closed or refused a connection before it counts as kept again.
    static var calm: Duration { .seconds(10) }
    /// The most limits that are remembered as reached, because their number decides how many lines the log gets.
    static var mostReached: Int { 32 }

    // MARK: Connections

    struct Opening: Hashable, Sendable {
        var place = Place.common
        /// The connection that gives way, and is to be closed.
        var givesWay: ID?
        /// The limits that this connection reached, and that were kept before.
        var began: [Limit] = []

        /// Whether the new connection has a place.
        var isOpen: Bool { place == .common || place == .reserve }
    }

    /// Whether a new connection finds a place without anything being known of it.
    mutating func isOpen(to address: ClientAddress?, at now: ContinuousClock.Instant) -> Bool {
        !isCrowded(address) && !isFull || budget.hasRest(at: now)
    }

    private var isFull: Bool { entries.count - reserveCount >= limits.all - limits.reserve }

    private func isCrowded(_ address: ClientAddress?) -> Bool {
        address.flatMap { addresses[$0]?.count }.map { $0 >= limits.perAddress } ?? false
    }

    /// Finds a place for a new connection.
    mutating func open(
        _ id: ID,
        from address: ClientAddress?,
        _ knock: Knock = .fresh,
        at now: ContinuousClock.Instant
    ) -> Opening {
        var opening = Opening()
        let isCrowded = isCrowded(address)
        guard isCrowded || isFull else {
            enter(id, Entry(address: address, isReserve: false))
            return opening
        }
        reach(isCrowded ? address.map { .address($0) } ?? .all : .all, at: now, &opening.began)
        switch knock {
        case .fresh:
            guard budget.take(at: now) else {
                opening.place = .later
                return opening
            }
            opening.givesWay = isCrowded ? address.flatMap { quietest(of: $0) } : quietest(in: &common)
            if let closed = opening.givesWay {
                close(closed)
                enter(id, Entry(address: address, isReserve: false))
            } else {
                useReserve(id, &opening)
            }
        case .probe: useReserve(id, &opening)
        case .other: opening.place = .none
        }
        turnedAway += 1
        return opening
    }

    private mutating func useReserve(_ id: ID, _ opening: inout Opening) {
        if reserveCount >= limits.reserve {
            opening.givesWay = quietest(in: &reserve)
            guard let closed = opening.givesWay else {
                opening.place = .none
                return
            }
            close(closed)
        }
        opening.place = .reserve
        enter(id, Entry(address: nil, isReserve: true))
    }

    private mutating func enter(_ id: ID, _ entry: Entry) {
        entries[id] = entry
        if let address = entry.address { addresses[address, default: Address()].count += 1 }
        if entry.isReserve { reserveCount += 1 }
        wait(id)
    }

    /// Removes a connection that is closed, or will be.
    mutating func close(_ id: ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if entry.isReserve { reserveCount -= 1 }
        leave(entry.address)
    }

    private mutating func leave(_ address: ClientAddress?) {
        guard let address, let count = addresses[address]?.count else { return }
        if count > 1 { addresses[address]?.count = count - 1 } else { addresses[address] = nil }
    }

    /// Whether the gateway answers only probes on the connection.
    func isReserve(_ id: ID) -> Bool { entries[id]?.isReserve == true }

    // MARK: Requests

    /// A connection begins to send a request, or has got the answer to its last one.
    mutating func becameQuiet(_ id: ID) {
        guard let entry = entries[id] else { return }
        if entry.isOfProxy {
            leave(entry.address)
            entries[id]?.address = nil
        }
        wait(id)
    }

    /// A request has arrived completely.
    mutating func becameBusy(_ id: ID) { entries[id]?.turn = nil }

    /// The trusted proxy has sent a request on the connection, for a client at `address`; nil if it does not say.
    ///
    /// - Returns: Whether the client has not reached the limit of its address; and the limits that were kept before.
    mutating func carries(
        _ id: ID,
        for address: ClientAddress?,
        at now: ContinuousClock.Instant
    ) -> (isAdmitted: Bool, began: [Limit]) {
        guard let entry = entries[id], !entry.isReserve else { return (true, []) }
        leave(entry.address)
        entries[id]?.isOfProxy = true
        entries[id]?.address = nil
        guard let address else { return (true, []) }
        guard addresses[address, default: Address()].count < limits.perAddress else {
            var began: [Limit] = []
            reach(.address(address), at: now, &began)
            turnedAway += 1
            return (false, began)
        }
        addresses[address, default: Address()].count += 1
        entries[id]?.address = address
        return (true, [])
    }

    /// Puts a connection at the end of the lines of the quiet ones.
    private mutating func wait(_ id: ID) {
        guard let entry = entries[id] else { return }
        latestTurn += 1
        let turn = latestTurn
        entries[id]?.turn = turn
        let isCurrent = { [entries] (turn: UInt64, id: ID) in entries[id]?.turn == turn }
        if entry.isReserve {
            reserve.append(turn, id, where: isCurrent, of: reserveCount)
            return
        }
        common.append(turn, id, where: isCurrent, of: entries.count)
        if let address = entry.address, let count = addresses[address]?.count {
            addresses[address]?.line.append(turn, id, where: isCurrent, of: count)
        }
    }

    private func quietest(in line: inout Line) -> ID? { line.first { [entries] in entries[$1]?.turn == $0 } }

    private mutating func quietest(of address: ClientAddress) -> ID? {
        addresses[address]?.line.first { [entries] in entries[$1]?.turn == $0 && entries[$1]?.address == address }
    }

    // MARK: Limits

    /// Records that a limit closes or refuses a connection; adds it to `began` if it was kept until now.
    private mutating func reach(_ limit: Limit, at now: ContinuousClock.Instant, _ began: inout [Limit]) {
        guard reached[limit] == nil else {
            reached[limit] = now
            return
        }
        guard reached.count < Self.mostReached else { return }
        reached[limit] = now
        began.append(limit)
    }

    /// The limits that have not closed or refused a connection for some time, and count as kept again.
    mutating func ended(at now: ContinuousClock.Instant) -> [Limit] {
        let ended = reached.filter { now - $0.value >= Self.calm }.map(\.key)
        for limit in ended { reached[limit] = nil }
        return ended
    }

    /// Whether a limit is reached, so that ``ended(at:)`` is to be asked later.
    var isReached: Bool { !reached.isEmpty }
}

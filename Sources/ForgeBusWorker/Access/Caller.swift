/// The id of one connection, over a socket or within the process; only the transport makes such ids.
///
/// The number is never printed: a peer that knows which number a socket assigns next can make the process fail.
struct ConnectionID: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let number: UInt64

    var description: String { "ConnectionID(redacted)" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The sender of a request: a connection, and the principal that sent the request on it.
///
/// The socket forgets a connection id when the connection ends, and may later give the same id to another sender. If
/// that sender is a different principal, it never gets this caller's answers.
struct Caller: Hashable, Sendable {
    let connection: ConnectionID
    /// The principal's name; empty for an unknown caller, whose answers a ``Callers`` does not count.
    let principal: String
    /// The index of the caller's entry in a ``Callers``; the book checks this hint before each use.
    fileprivate var place = -1

    init(_ connection: ConnectionID, _ principal: AccessPolicy.Principal) { self.init(connection, principal.name) }

    /// Creates an unknown caller: a connection whose message was not assigned to a principal.
    init(unknown connection: ConnectionID) { self.init(connection, "") }

    private init(_ connection: ConnectionID, _ principal: String) {
        self.connection = connection
        self.principal = principal
    }

    static func == (a: Caller, b: Caller) -> Bool { a.connection == b.connection && a.principal == b.principal }

    func hash(into hasher: inout Hasher) { hasher.combine(connection) }
}

/// For each connection, the principal that sent the last message, and how many first answers are on their way.
///
/// An entry stays while its connection waits for a first answer to a request. When there are many entries, the book
/// removes the entries of connections that wait for no first answer.
struct Callers {
    private struct Entry {
        var caller: Caller
        /// The number of first answers that are decided and not yet handed to the connection.
        var unanswered = 0
    }

    private var entries: [Entry] = []
    private var places: [ConnectionID: Int] = [:]
    /// The index of the latest new entry, as a hint: the next message often comes from the same connection.
    private var latest = 0
    private let outstanding: Int
    /// The number of entries at which the book removes those that wait for no first answer.
    private var room = leastRoom
    private static let leastRoom = 16_384

    /// - Parameter outstanding: How many first answers may be on their way to one connection.
    init(outstanding: Int) { self.outstanding = outstanding }

    /// Records that `caller` sent a message on its connection.
    ///
    /// - Parameter caller: The sender; the call sets its place in the book.
    /// - Returns: The former caller, if another principal sent the previous message on the connection; otherwise nil.
    ///   The former caller gets no more answers.
    mutating func heard(_ caller: inout Caller) -> Caller? {
        guard let place = place(of: caller) else {
            append(&caller)
            return nil
        }
        caller.place = place
        let former = entries[place].caller
        guard former != caller else { return nil }
        entries[place] = Entry(caller: caller)
        return former
    }

    /// Whether the book has an entry for the caller's connection.
    func knows(_ caller: Caller) -> Bool { place(of: caller) != nil }

    /// Whether the caller's principal is still the one that sent the last message on the caller's connection.
    ///
    /// True also for an unknown caller, and if the book has no entry for the connection.
    func isCurrent(_ caller: Caller) -> Bool {
        caller.principal.isEmpty || place(of: caller).map { entries[$0].caller == caller } ?? true
    }

    /// Whether the number of first answers on their way to the caller has reached the limit.
    func isFull(_ caller: Caller) -> Bool { entry(of: caller).map { entries[$0].unanswered >= outstanding } ?? false }

    /// Records that a first answer to the caller is on its way.
    mutating func owes(_ caller: Caller) {
        guard !caller.principal.isEmpty else { return }
        var caller = caller
        if place(of: caller) == nil { append(&caller) }
        if let place = entry(of: caller) { entries[place].unanswered += 1 }
    }

    /// Records that a first answer was handed to the caller's connection, or dropped.
    mutating func answered(_ caller: Caller) {
        if let place = entry(of: caller), entries[place].unanswered > 0 { entries[place].unanswered -= 1 }
    }

    /// Whether there are so many entries that ``sweep(keeping:)`` must remove some.
    var isOvergrown: Bool { entries.count >= room }

    /// Removes the entries whose connections wait for no first answer.
    ///
    /// - Parameter kept: Connections whose entries stay in any case, because they get more than first answers.
    mutating func sweep(keeping kept: Set<ConnectionID>) {
        entries.removeAll { $0.unanswered == 0 && !kept.contains($0.caller.connection) }
        places.removeAll(keepingCapacity: true)
        for index in entries.indices {
            entries[index].caller.place = index
            places[entries[index].caller.connection] = index
        }
        room = max(Self.leastRoom, 2 * entries.count)
    }

    private mutating func append(_ caller: inout Caller) {
        caller.place = entries.count
        places[caller.connection] = caller.place
        latest = caller.place
        entries.append(Entry(caller: caller))
    }

    /// The index of this caller's entry; nil if there is no entry, or if another principal has sent a message on the
    /// connection since.
    private func entry(of caller: Caller) -> Int? {
        place(of: caller).flatMap { entries[$0].caller == caller ? $0 : nil }
    }

    /// The index of the entry for the caller's connection, even if another principal has sent a message on it since;
    /// nil if there is no entry.
    private func place(of caller: Caller) -> Int? {
        for hint in [caller.place, latest] where entries.indices.contains(hint) {
            if entries[hint].caller.connection == caller.connection { return hint }
        }
        return places[caller.connection]
    }
}

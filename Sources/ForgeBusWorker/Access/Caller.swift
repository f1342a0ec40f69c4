/// Names one connection, over a socket or within the process; only the transport makes one.
///
/// The number is never printed: somebody who knows which number a socket assigns next can stop the process.
struct ConnectionID: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let number: UInt64

    var description: String { "ConnectionID(redacted)" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The sender of a request: a connection, and the principal that spoke on it.
///
/// Another principal under the same connection id never gets this caller's answers: the socket forgets an id with its
/// connection, and somebody else may claim it next.
struct Caller: Hashable, Sendable {
    let connection: ConnectionID
    /// The principal's name; empty for a connection with an unknown key, for which no answer is kept.
    let principal: String
    /// The caller's index in a ``CallerBook``: a hint, checked before use.
    fileprivate var place = -1

    init(_ connection: ConnectionID, _ principal: AccessPolicy.Principal) { self.init(connection, principal.name) }

    /// A connection with an unknown key, or one that does not speak the protocol.
    init(unknown connection: ConnectionID) { self.init(connection, "") }

    private init(_ connection: ConnectionID, _ principal: String) {
        self.connection = connection
        self.principal = principal
    }

    static func == (a: Caller, b: Caller) -> Bool { a.connection == b.connection && a.principal == b.principal }

    func hash(into hasher: inout Hasher) { hasher.combine(connection) }
}

/// The principal that spoke last on each connection, and its number of unanswered requests.
///
/// An entry stays while its connection waits for an answer; the others are removed when there are many.
struct CallerBook {
    private struct Entry {
        var caller: Caller
        /// The number of first answers that are decided and not yet handed to the connection.
        var unanswered = 0
    }

    private var entries: [Entry] = []
    private var places: [ConnectionID: Int] = [:]
    /// The connection that spoke last is likely to speak next.
    private var latest = 0
    private let outstanding: Int
    /// The number of entries at which those whose connections wait for nothing are removed.
    private var room = leastRoom
    private static let leastRoom = 16_384

    /// - Parameter outstanding: How many first answers may be on their way to one connection.
    init(outstanding: Int) { self.outstanding = outstanding }

    /// Records that `caller` spoke on its connection.
    ///
    /// - Parameter caller: The sender; it gets its place in the book.
    /// - Returns: The former caller, if another principal spoke on the connection before; it gets no more answers.
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

    /// Whether no other principal has spoken on the connection since; true for unknown callers.
    func isCurrent(_ caller: Caller) -> Bool {
        caller.principal.isEmpty || place(of: caller).map { entries[$0].caller == caller } ?? true
    }

    /// Whether the maximum of first answers is on its way to the caller.
    func isFull(_ caller: Caller) -> Bool { entry(of: caller).map { entries[$0].unanswered >= outstanding } ?? false }

    /// Records that a first answer is on its way.
    mutating func owes(_ caller: Caller) {
        guard !caller.principal.isEmpty else { return }
        var caller = caller
        if place(of: caller) == nil { append(&caller) }
        if let place = entry(of: caller) { entries[place].unanswered += 1 }
    }

    /// Records that a first answer was handed to its connection, or given up.
    mutating func answered(_ caller: Caller) {
        if let place = entry(of: caller), entries[place].unanswered > 0 { entries[place].unanswered -= 1 }
    }

    /// Whether there are enough entries for a sweep.
    var isOvergrown: Bool { entries.count >= room }

    /// Removes the entries whose connections wait for no answer.
    ///
    /// - Parameter kept: The connections that get more than first answers.
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

    /// The index of this caller; nil if another principal has spoken since.
    private func entry(of caller: Caller) -> Int? {
        place(of: caller).flatMap { entries[$0].caller == caller ? $0 : nil }
    }

    /// The index of the caller's connection.
    private func place(of caller: Caller) -> Int? {
        for hint in [caller.place, latest] where entries.indices.contains(hint) {
            if entries[hint].caller.connection == caller.connection { return hint }
        }
        return places[caller.connection]
    }
}

/// Names one connection, over a socket or within the process; only the transport makes one.
///
/// It is never printed: who knows which number a socket assigns next can stop the process.
struct ConnectionID: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    let number: UInt64

    var description: String { "ConnectionID(redacted)" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Who asked: a connection, and the principal that spoke on it.
///
/// What is owed to a caller is never told to another principal under the same connection id: the socket forgets an id
/// with its connection, and the next to claim that id is somebody else.
struct Caller: Hashable, Sendable {
    let connection: ConnectionID
    /// The principal's name; empty for one that is not known, which is owed nothing.
    let principal: String
    /// Where a ``CallerBook`` has it: a hint, which is checked before it is used.
    fileprivate var place = -1

    init(_ connection: ConnectionID, _ principal: AccessPolicy.Principal) { self.init(connection, principal.name) }

    /// A connection whose key stands for nobody, or that does not speak the protocol.
    init(unknown connection: ConnectionID) { self.init(connection, "") }

    private init(_ connection: ConnectionID, _ principal: String) {
        self.connection = connection
        self.principal = principal
    }

    static func == (a: Caller, b: Caller) -> Bool { a.connection == b.connection && a.principal == b.principal }

    func hash(into hasher: inout Hasher) { hasher.combine(connection) }
}

/// Which principal spoke last on each connection, and how many of its requests are not answered yet.
///
/// An entry is kept while anything is owed to its connection; others are swept out once there are many.
struct CallerBook {
    private struct Entry {
        var caller: Caller
        /// First answers on their way: decided, and not yet handed to the connection.
        var unanswered = 0
    }

    private var entries: [Entry] = []
    private var places: [ConnectionID: Int] = [:]
    /// The connection that spoke last is likely to speak next.
    private var latest = 0
    private let outstanding: Int
    /// How many entries there may be before those of which nothing is owed are swept out.
    private var room = leastRoom
    private static let leastRoom = 16_384

    /// - Parameter outstanding: How many first answers may be on their way to one connection.
    init(outstanding: Int) { self.outstanding = outstanding }

    /// Somebody spoke on a connection.
    ///
    /// - Parameter caller: Who; it gets to know its place in the book.
    /// - Returns: Who had spoken on it before, if that was another principal: nothing is owed to that one any more.
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

    /// Whether somebody has spoken on the caller's connection, and it was not swept out since.
    func knows(_ caller: Caller) -> Bool { place(of: caller) != nil }

    /// Whether nobody else has spoken on the caller's connection since; one that is not known is told what it is told at
    /// once.
    func isCurrent(_ caller: Caller) -> Bool {
        caller.principal.isEmpty || place(of: caller).map { entries[$0].caller == caller } ?? true
    }

    /// Whether as many first answers are on their way to the caller as may be.
    func isFull(_ caller: Caller) -> Bool { entry(of: caller).map { entries[$0].unanswered >= outstanding } ?? false }

    /// A first answer is on its way.
    mutating func owes(_ caller: Caller) {
        guard !caller.principal.isEmpty else { return }
        var caller = caller
        if place(of: caller) == nil { append(&caller) }
        if let place = entry(of: caller) { entries[place].unanswered += 1 }
    }

    /// A first answer was handed to its connection, or given up.
    mutating func answered(_ caller: Caller) {
        if let place = entry(of: caller), entries[place].unanswered > 0 { entries[place].unanswered -= 1 }
    }

    /// Whether there are so many entries that those of which nothing is owed are to be swept out.
    var isOvergrown: Bool { entries.count >= room }

    /// Sweeps out the entries of which nothing is owed.
    ///
    /// - Parameter kept: The connections that hear more than first answers.
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

    /// The place of this very caller; nil where another principal has spoken since.
    private func entry(of caller: Caller) -> Int? {
        place(of: caller).flatMap { entries[$0].caller == caller ? $0 : nil }
    }

    /// The place of the caller's connection.
    private func place(of caller: Caller) -> Int? {
        for hint in [caller.place, latest] where entries.indices.contains(hint) {
            if entries[hint].caller.connection == caller.connection { return hint }
        }
        return places[caller.connection]
    }
}

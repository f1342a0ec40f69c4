import ForgeBusProtocol

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
    private let limits: WorkerLimits
    /// The number of entries at which the book removes those that wait for no first answer.
    private var room = leastRoom
    private static let leastRoom = 16_384

    /// What follows from a message, before anything is decided on it.
    enum Hearing: Equatable {
        /// The message may be decided on.
        case heard
        /// The message may be decided on, and the former caller, another principal on the same connection, is gone: it
        /// gets no more answers.
        case heardInstead(of: Caller)
        /// The message is refused.
        case refused(Crowding)
    }

    /// Why a request is refused before the core decides on it.
    enum Crowding {
        /// Too many first answers are on their way to the sender's connection.
        case outstanding
        /// Too many connections are open, and the sender's connection is new.
        case connections
    }

    init(limits: WorkerLimits) { self.limits = limits }

    /// Records that `caller` sent a message on its connection.
    ///
    /// - Parameters:
    ///   - caller: The sender; the call sets its place in the book.
    ///   - connections: How many connections are open; each submission that still waits for answers counts as one.
    /// - Returns: Whether the message may be decided on, and what follows from it.
    mutating func hear(_ caller: inout Caller, among connections: Int) -> Hearing {
        guard let place = place(of: caller) else {
            if connections > limits.connections { return .refused(.connections) }
            append(&caller)
            return .heard
        }
        caller.place = place
        let former = entries[place].caller
        guard former == caller else {
            entries[place] = Entry(caller: caller)
            return .heardInstead(of: former)
        }
        return entries[place].unanswered < limits.outstanding ? .heard : .refused(.outstanding)
    }

    /// Whether the caller's principal is still the one that sent the last message on the caller's connection.
    ///
    /// True also for an unknown caller, and if the book has no entry for the connection.
    func isCurrent(_ caller: Caller) -> Bool {
        caller.principal.isEmpty || place(of: caller).map { entries[$0].caller == caller } ?? true
    }

    /// Records the first answers that are decided and on their way.
    mutating func owe(_ effects: ArraySlice<Effect>) {
        for index in effects.indices {
            guard case .answer(let answer, let caller) = effects[index], answer.content.word.isFirst else { continue }
            owes(caller)
        }
    }

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

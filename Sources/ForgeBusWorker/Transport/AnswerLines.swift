import DequeModule
import ForgeBusProtocol
import ZeroMQ

/// Answers for connections whose queues are full, a line for each connection, in order.
///
/// Pure: the caller brings the time and tries to send. Bounded in bytes: each connection takes a part of what is free, and
/// so does each principal where principals are told apart, so that there is always something left for the next. Where
/// that is too little, the line that has been stuck longest is dropped: its connection does not read.
struct AnswerLines {
    /// What the bytes of an answer are taken from.
    enum Account: Int, CaseIterable {
        /// What may be refused for want of room: what is read, and what is told of runs, monitors and events.
        case told
        /// What a request must be answered with that had its effect, and refusals; kept for those.
        case reserved
    }

    /// An answer that waits.
    struct Entry {
        enum Content {
            case message(Message)
            /// One that is encoded when there is room, because what it tells is kept anyway.
            case answer(Answer)
        }

        let caller: Caller
        let content: Content
        /// Whether it counts as one that its connection has outstanding.
        let isFirst: Bool
        let account: Account
        let size: Int
    }

    /// What is to be sent next.
    enum Attempt {
        case entry(Entry)
        /// BUSY `outstanding` to this request.
        case refusal(RequestID, Caller)
    }

    /// What came of an attempt.
    enum Outcome {
        /// The connection's queue took it.
        case sent
        /// The same, and nothing more is to be sent until it has left the queue.
        case sentLarge
        /// The queue is full.
        case full
        /// It is for nobody any more.
        case dropped
        /// The connection is gone.
        case gone
    }

    private struct Line {
        let caller: Caller
        var entries: Deque<Entry> = []
        var refused = RefusedRequests()
        var size = Sizes()
        var pace: RetryPace
        /// Whether a large answer is on its way, whose departure is told.
        var awaitsDeparture = false

        var isEmpty: Bool { entries.isEmpty && refused.isEmpty }

        /// What is to be sent next: refusals last, so that who asked in time is answered in time.
        var first: Attempt? {
            if let entry = entries.first { return .entry(entry) }
            return refused.first.map { .refusal($0, caller) }
        }
    }

    private var lines: [ConnectionID: Line] = [:]
    private var size = Sizes()
    private var principals: [String: Sizes] = [:]
    /// Connections whose lines were dropped, and that have taken nothing since.
    private var deaf: Set<ConnectionID> = []
    private let limit: Sizes
    private let tellsPrincipalsApart: Bool

    /// For how long a line must have been stuck to be dropped for another's sake.
    static let patience = Duration.seconds(1)
    /// More connections than these are not remembered as deaf: they are found out again.
    private static let mostDeaf = 10_000

    /// - Parameters:
    ///   - bytes: What the lines may take in all; half as much again is reserved for first answers and refusals.
    ///   - tellsPrincipalsApart: Whether a principal's connections share a bound.
    init(bytes: Int, tellsPrincipalsApart: Bool) {
        limit = Sizes(told: bytes, reserved: bytes / 2)
        self.tellsPrincipalsApart = tellsPrincipalsApart
    }

    /// Whether nothing waits.
    var isEmpty: Bool { lines.isEmpty }

    /// The bytes that wait, in all.
    var sizeInBytes: Int { Account.allCases.reduce(0) { $0 + size[$1] } }

    /// When the next line is to be tried; nil where none waits for room.
    var due: ContinuousClock.Instant? { lines.values.lazy.filter { !$0.awaitsDeparture }.map(\.pace.due).min() }

    /// Whether nothing waits for a connection, so that an answer may be sent at once.
    func isClear(_ connection: ConnectionID) -> Bool { lines.isEmpty || lines[connection] == nil }

    /// Whether the connection's line was dropped and it has taken nothing since: nothing is kept for it.
    func isDeaf(_ connection: ConnectionID) -> Bool { !deaf.isEmpty && deaf.contains(connection) }

    /// The connection took an answer.
    mutating func reads(_ connection: ConnectionID) {
        if !deaf.isEmpty { deaf.remove(connection) }
    }

    /// The connection took a large answer, and gets nothing more until that has left its queue.
    mutating func awaitDeparture(for caller: Caller, at now: ContinuousClock.Instant) {
        lines[caller.connection] = lines[caller.connection].flatMap { $0.caller == caller ? $0 : nil }
        lines[caller.connection, default: Line(caller: caller, pace: RetryPace(at: now))].awaitsDeparture = true
    }

    /// A large answer has left the connection's queue.
    mutating func departed(_ connection: ConnectionID) {
        lines[connection]?.awaitsDeparture = false
        if lines[connection]?.isEmpty == true { lines[connection] = nil }
    }
}

// Waiting.
extension AnswerLines {
    /// Puts an answer at the end of its connection's line.
    ///
    /// - Parameters:
    ///   - entry: What waits.
    ///   - now: When.
    ///   - dropped: Gets what was dropped to make room.
    /// - Returns: Whether there was room.
    mutating func add(_ entry: Entry, at now: ContinuousClock.Instant, dropping dropped: inout [Entry]) -> Bool {
        let caller = entry.caller
        guard makeRoom(entry.size, entry.account, for: caller, at: now, &dropped) else { return false }
        lines[caller.connection, default: Line(caller: caller, pace: RetryPace(at: now))].entries.append(entry)
        count(entry.size, entry.account, of: caller)
        return true
    }

    /// Has a request be refused as soon as its connection has room.
    ///
    /// - Returns: Whether there was room to remember it.
    mutating func refuse(
        _ id: RequestID,
        of caller: Caller,
        at now: ContinuousClock.Instant,
        dropping dropped: inout [Entry]
    ) -> Bool {
        let size = RefusedRequests.size(of: id)
        guard makeRoom(size, .reserved, for: caller, at: now, &dropped) else { return false }
        lines[caller.connection, default: Line(caller: caller, pace: RetryPace(at: now))].refused.append(id)
        count(size, .reserved, of: caller)
        return true
    }

    private mutating func makeRoom(
        _ size: Int,
        _ account: Account,
        for caller: Caller,
        at now: ContinuousClock.Instant,
        _ dropped: inout [Entry]
    ) -> Bool {
        if isDeaf(caller.connection) || !takeOver(caller, &dropped) { return false }
        while !hasRoom(size, account, for: caller) {
            // Who has been stuck for longest itself makes nobody else lose anything.
            let since = lines[caller.connection]?.pace.stuckSince ?? now
            guard let stuck = longestStuck(account, before: since, at: now) else { return false }
            drop(stuck, into: &dropped)
            if deaf.count >= Self.mostDeaf { deaf.removeAll() }
            deaf.insert(stuck)
        }
        return true
    }

    /// A line is one caller's: what waits for another that was on the connection before is for nobody any more.
    ///
    /// - Returns: Whether the line is the caller's; not that of one who is not known, and is told only what is said at once.
    private mutating func takeOver(_ caller: Caller, _ dropped: inout [Entry]) -> Bool {
        guard let line = lines[caller.connection], line.caller != caller else { return true }
        if caller.principal.isEmpty { return false }
        drop(caller.connection, into: &dropped)
        if line.awaitsDeparture { awaitDeparture(for: caller, at: line.pace.stuckSince) }
        return true
    }

    /// A connection takes a quarter of what is free of the one account and half of the other, a principal half; alone that
    /// is a fifth and a third of all.
    private func hasRoom(_ size: Int, _ account: Account, for caller: Caller) -> Bool {
        let free = limit[account] - self.size[account]
        let own = lines[caller.connection]?.size[account] ?? 0
        guard own + size <= free / (account == .told ? 4 : 2) else { return false }
        guard tellsPrincipalsApart else { return true }
        return (principals[caller.principal]?[account] ?? 0) + size <= free / 2
    }

    private func longestStuck(
        _ account: Account,
        before since: ContinuousClock.Instant,
        at now: ContinuousClock.Instant
    ) -> ConnectionID? {
        let latest = min(since, now - Self.patience)
        return lines.lazy
            .filter {
                $0.value.size[account] > 0 && $0.value.pace.stuckSince < since && $0.value.pace.stuckSince <= latest
            }
            .min { $0.value.pace.stuckSince < $1.value.pace.stuckSince }?.key
    }

    private mutating func drop(_ connection: ConnectionID, into dropped: inout [Entry]) {
        guard let line = lines.removeValue(forKey: connection) else { return }
        for account in Account.allCases { count(-line.size[account], account, of: line.caller, isGone: true) }
        dropped += line.entries
        // Its queue holds a large answer, and must not get another before that has left.
        if line.awaitsDeparture { lines[connection] = Line(caller: line.caller, pace: line.pace, awaitsDeparture: true) }
    }

    private mutating func count(_ size: Int, _ account: Account, of caller: Caller, isGone: Bool = false) {
        self.size[account] += size
        if !isGone { lines[caller.connection]?.size[account] += size }
        guard tellsPrincipalsApart else { return }
        principals[caller.principal, default: Sizes()][account] += size
        if principals[caller.principal]?.isZero == true { principals[caller.principal] = nil }
    }
}

// Leaving.
extension AnswerLines {
    /// Tries each line that is due.
    mutating func retry(
        at now: ContinuousClock.Instant,
        _ send: (Attempt) -> Outcome,
        ended: (Entry, Outcome) -> Void
    ) {
        for connection in lines.filter({ !$0.value.awaitsDeparture && $0.value.pace.due <= now }).keys {
            retry(connection, at: now, send, ended: ended)
        }
    }

    /// Tries the line of one connection: in order, until its queue is full.
    ///
    /// - Parameters:
    ///   - connection: Whose.
    ///   - now: When.
    ///   - send: Sends, or tells why not.
    ///   - ended: Gets each answer that has left the line, and how.
    mutating func retry(
        _ connection: ConnectionID,
        at now: ContinuousClock.Instant,
        _ send: (Attempt) -> Outcome,
        ended: (Entry, Outcome) -> Void
    ) {
        guard var line = lines.removeValue(forKey: connection) else { return }
        var left = Sizes()
        var outcome = Outcome.dropped
        while let attempt = line.first {
            outcome = send(attempt)
            if case .full = outcome { break }
            if case .gone = outcome { break }
            switch attempt {
            case .entry(let entry):
                line.entries.removeFirst()
                left[entry.account] += entry.size
                ended(entry, outcome)
            case .refusal(let id, _):
                line.refused.removeFirst()
                left[.reserved] += RefusedRequests.size(of: id)
            }
            if case .sentLarge = outcome {
                line.awaitsDeparture = true
                break
            }
        }
        if case .gone = outcome {
            for entry in line.entries { ended(entry, .gone) }
            left = line.size
            line.entries = []
            line.refused = RefusedRequests()
            deaf.remove(connection)
        }
        let hasMoved = !left.isZero
        line.pace.tried(hasMoved: hasMoved, at: now)
        for account in Account.allCases {
            line.size[account] -= left[account]
            count(-left[account], account, of: line.caller, isGone: true)
        }
        if !line.isEmpty || line.awaitsDeparture { lines[connection] = line }
    }
}

/// Bytes by account.
private struct Sizes {
    private var told = 0
    private var reserved = 0

    init(told: Int = 0, reserved: Int = 0) { (self.told, self.reserved) = (told, reserved) }

    var isZero: Bool { told == 0 && reserved == 0 }

    subscript(account: AnswerLines.Account) -> Int {
        get { account == .told ? told : reserved }
        set { if account == .told { told = newValue } else { reserved = newValue } }
    }
}

/// The ids of refused requests, one after the other: many of them in little room.
private struct RefusedRequests {
    /// Each id behind its length.
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { start == bytes.count }

    /// What an id takes here.
    static func size(of id: RequestID) -> Int { 1 + id.text.utf8.count }

    var first: RequestID? {
        guard start < bytes.count else { return nil }
        let end = start + 1 + Int(bytes[start])
        guard let id = try? RequestID(bytes: bytes[(start + 1)..<end]) else {
            fatalError("An id was kept that is none.")
        }
        return id
    }

    mutating func append(_ id: RequestID) {
        bytes.append(UInt8(id.text.utf8.count))
        bytes += id.text.utf8
    }

    mutating func removeFirst() {
        start += 1 + Int(bytes[start])
        // Moved seldom, so that many ids cost no square.
        if start > 4096, start * 2 > bytes.count {
            bytes.removeFirst(start)
            start = 0
        }
    }
}

import DequeModule
import ForgeBusProtocol
import ZeroMQ

/// Answers that wait because their connection's queue is full: a line for each connection, in order.
///
/// Pure: the caller passes the time and tries to send.
///
/// The lines have a limit in bytes. The line of each connection may take a part of the free bytes; with keys, the lines
/// of each principal together may take a part, too. So some bytes are always left for the next connection. If these are
/// too few, the line whose connection has taken no answer for longest is dropped.
struct AnswerLines {
    private struct Line {
        let caller: Caller
        var entries: Deque<Entry> = []
        var refused = RefusedRequests()
        var size = Sizes()
        var pace: RetryPace
        /// Whether the connection's queue holds a large answer; the socket reports when that answer has left the queue.
        var awaitsDeparture = false

        var isEmpty: Bool { entries.isEmpty && refused.isEmpty }

        /// The next thing to send; refusals come last, so that requests that had room are answered first.
        var first: Attempt? {
            if let entry = entries.first { return .entry(entry) }
            return refused.first.map { .refusal($0, caller) }
        }

        /// Removes the first entry or refusal, and adds its bytes to `left`.
        mutating func removeFirst(_ left: inout Sizes) -> Attempt? {
            let first = first
            switch first {
            case .entry(let entry):
                entries.removeFirst()
                left[entry.account] += entry.size
            case .refusal(let id, _):
                refused.removeFirst()
                left[.reserved] += RefusedRequests.size(of: id)
            case nil: break
            }
            return first
        }

        /// Drops everything in the line.
        mutating func giveUp(_ dropped: inout Dropped) {
            dropped.entries += entries
            dropped.refusals += refused.count
            (entries, refused) = ([], RefusedRequests())
        }
    }

    private var lines: [ConnectionID: Line] = [:]
    private var size = Sizes()
    private var principals: [String: Sizes] = [:]
    /// The connections whose lines were dropped, and which have taken no answer since.
    private var deaf: Set<ConnectionID> = []
    private let limit: Sizes
    private let tellsPrincipalsApart: Bool

    /// How long a connection must have taken no answer before its line may be dropped to make room for another line.
    static let patience = Duration.seconds(1)
    /// The most connections in ``deaf``; a full set is emptied, and fills again as lines are dropped.
    private static let mostDeaf = 10_000

    /// - Parameters:
    ///   - bytes: How many bytes the waiting answers that count against ``Account/told`` may take, in all lines
    ///     together. The answers that count against ``Account/reserved`` may take half of that number in addition.
    ///   - tellsPrincipalsApart: Whether all connections of one principal together have a limit, too.
    init(bytes: Int, tellsPrincipalsApart: Bool) {
        limit = Sizes(told: bytes, reserved: bytes / 2)
        self.tellsPrincipalsApart = tellsPrincipalsApart
    }

    /// Whether no answer waits, and no connection's queue holds a large answer.
    var isEmpty: Bool { lines.isEmpty }

    /// The number of bytes that wait in all lines together.
    var sizeInBytes: Int { Account.allCases.reduce(0) { $0 + size[$1] } }

    /// When to try the next line; nil if no line waits for room in its connection's queue.
    var due: ContinuousClock.Instant? { lines.values.lazy.filter { !$0.awaitsDeparture }.map(\.pace.due).min() }

    /// Whether nothing waits for a connection, so that an answer may be sent immediately.
    func isClear(_ connection: ConnectionID) -> Bool { lines.isEmpty || lines[connection] == nil }

    /// Whether the connection's line was dropped and the connection has taken no answer since; nothing waits for it
    /// then.
    func isDeaf(_ connection: ConnectionID) -> Bool { !deaf.isEmpty && deaf.contains(connection) }

    /// Records that the connection took an answer.
    mutating func reads(_ connection: ConnectionID) {
        if !deaf.isEmpty { deaf.remove(connection) }
    }

    /// Records that a connection's queue took a large answer: nothing more is sent until that answer has left the
    /// queue.
    mutating func awaitDeparture(for caller: Caller, at now: ContinuousClock.Instant) {
        lines[caller.connection] = lines[caller.connection].flatMap { $0.caller == caller ? $0 : nil }
        lines[caller.connection, default: Line(caller: caller, pace: RetryPace(at: now))].awaitsDeparture = true
    }

    /// Records that a large answer has left the connection's queue.
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
    ///   - entry: The waiting answer.
    ///   - now: The time.
    ///   - dropped: Gets the answers that were dropped to make room.
    /// - Returns: Whether there was room.
    mutating func add(_ entry: Entry, at now: ContinuousClock.Instant, dropping dropped: inout Dropped) -> Bool {
        let caller = entry.caller
        guard makeRoom(entry.size, entry.account, for: caller, at: now, &dropped) else { return false }
        lines[caller.connection, default: Line(caller: caller, pace: RetryPace(at: now))].entries.append(entry)
        count(entry.size, entry.account, of: caller)
        return true
    }

    /// Lets the refusal of a request wait in the connection's line.
    ///
    /// - Returns: Whether there was room to remember the refusal.
    mutating func refuse(
        _ id: RequestID,
        of caller: Caller,
        at now: ContinuousClock.Instant,
        dropping dropped: inout Dropped
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
        _ dropped: inout Dropped
    ) -> Bool {
        if isDeaf(caller.connection) || !takeOver(caller, &dropped) { return false }
        while !hasRoom(size, account, for: caller) {
            // Only a line that has been stuck for longer than this one may be dropped for it.
            let since = lines[caller.connection]?.pace.stuckSince ?? now
            guard let stuck = longestStuck(account, before: since, at: now) else { return false }
            drop(stuck, into: &dropped)
            if deaf.count >= Self.mostDeaf { deaf.removeAll() }
            deaf.insert(stuck)
        }
        return true
    }

    /// Gives the connection's line to the caller; drops the answers to another caller that had the connection before.
    ///
    /// - Returns: Whether the caller may use the line; false for an unknown caller if the line belongs to another
    ///   caller.
    private mutating func takeOver(_ caller: Caller, _ dropped: inout Dropped) -> Bool {
        guard let line = lines[caller.connection], line.caller != caller else { return true }
        if caller.principal.isEmpty { return false }
        drop(caller.connection, into: &dropped)
        if line.awaitsDeparture { awaitDeparture(for: caller, at: line.pace.stuckSince) }
        return true
    }

    /// Whether `size` bytes fit into the caller's part of the account.
    ///
    /// A connection may take a quarter of the free bytes of ``Account/told``, and half of those of
    /// ``Account/reserved``. With keys, a principal may take half of the free bytes of each account. So one connection
    /// alone can take a fifth of all bytes of ``Account/told``, and a third of those of ``Account/reserved``.
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

    private mutating func drop(_ connection: ConnectionID, into dropped: inout Dropped) {
        guard var line = lines.removeValue(forKey: connection) else { return }
        for account in Account.allCases { count(-line.size[account], account, of: line.caller, isGone: true) }
        line.giveUp(&dropped)
        // The connection's queue still holds a large answer, and must not get another until that has left.
        line.size = Sizes()
        if line.awaitsDeparture { lines[connection] = line }
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
    /// Sends the waiting answers of each connection that is due to be tried again.
    mutating func retry(
        at now: ContinuousClock.Instant,
        _ send: (Attempt) -> Outcome,
        sent: (Entry) -> Void,
        dropping dropped: inout Dropped
    ) {
        for connection in lines.filter({ !$0.value.awaitsDeparture && $0.value.pace.due <= now }).keys {
            retry(connection, at: now, send, sent: sent, dropping: &dropped)
        }
    }

    /// Sends the waiting answers of one connection, in order, until its socket queue is full.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - now: The time.
    ///   - send: Tries to send, and returns the outcome.
    ///   - sent: Gets each answer that was sent, before the next is tried.
    ///   - dropped: Gets the answers that were dropped.
    mutating func retry(
        _ connection: ConnectionID,
        at now: ContinuousClock.Instant,
        _ send: (Attempt) -> Outcome,
        sent: (Entry) -> Void,
        dropping dropped: inout Dropped
    ) {
        guard var line = lines.removeValue(forKey: connection) else { return }
        var left = Sizes()
        trying: while let attempt = line.first {
            switch send(attempt) {
            case .full: break trying
            case .gone:
                left = line.size
                line.giveUp(&dropped)
                deaf.remove(connection)
            case .dropped: if let attempt = line.removeFirst(&left) { dropped.add(attempt) }
            case .sent: if case .entry(let entry) = line.removeFirst(&left) { sent(entry) }
            case .sentLarge:
                if case .entry(let entry) = line.removeFirst(&left) { sent(entry) }
                line.awaitsDeparture = true
                break trying
            }
        }
        line.pace.tried(hasMoved: !left.isZero, at: now)
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

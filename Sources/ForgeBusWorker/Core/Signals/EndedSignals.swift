import DequeModule
import ForgeBusProtocol

/// The signals whose wait is over, until their retention ends.
///
/// The table keeps the sent bytes while the waiter may open the signal again, and after that only a digest of them. If
/// the decisions take more room than the limit allows, the oldest become digests, too.
struct EndedSignals {
    /// A signal in memory of its own, so that a large table moves only references when it grows.
    private indirect enum Kept {
        case signal(EndedSignal)
    }

    private var signals = LargeTable<Name, Kept>()
    /// The signals in the order in which they expire.
    private var line: Deque<(signal: Name, until: Moment)> = []
    /// How many signals at the front of the line have only a digest of their decision, for lack of room.
    private var digested = 0
    /// The ended signals of each unfinished run.
    private(set) var byRun: [Name: [Name]] = [:]
    /// How many bytes all decisions that are kept whole take; a decision no larger than a digest does not count.
    private(set) var size = 0
    private let limits: WorkerLimits
    let retention: Duration

    init(_ limits: WorkerLimits, retention: Duration) { (self.limits, self.retention) = (limits, retention) }

    var count: Int { line.count }

    /// When the next signal expires.
    var nextExpiry: Moment? { line.first?.until }

    /// When the signal expires; it looks at every signal.
    func expiry(of signal: Name) -> Moment? {
        self[signal] == nil ? nil : line.last { $0.signal == signal }?.until
    }

    subscript(signal: Name) -> EndedSignal? {
        if case .signal(let ended) = signals[signal] { ended } else { nil }
    }

    /// The ended signals of an unfinished run, in the order in which they ended.
    func signals(of run: Name) -> [Name] { byRun[run] ?? [] }

    /// Adds a signal that has ended now.
    mutating func add(_ signal: Name, _ ended: EndedSignal, at now: Moment) {
        makeRoom(for: ended.size)
        keep(signal, ended)
        line.append((signal, now.advanced(by: retention)))
    }

    /// Adds a signal that ended in an earlier worker; ``restored()`` must follow after the last one.
    mutating func restore(_ signal: Name, _ ended: EndedSignal, until: Moment) {
        keep(signal, ended)
        line.append((signal, until))
    }

    /// Puts the restored signals in the order in which they expire.
    mutating func restored() { line = Deque(line.sorted { $0.until < $1.until }) }

    private mutating func keep(_ signal: Name, _ ended: EndedSignal) {
        signals[signal] = .signal(ended)
        size += ended.size
        if let run = ended.waiting.owner.run { byRun[run, default: []].append(signal) }
    }

    /// Reduces the oldest decisions to digests until this many more bytes fit, or no whole decision is left.
    private mutating func makeRoom(for more: Int) {
        while size > 0, size + more > limits.decidedSizeInBytes {
            digest(line[digested].signal)
            digested += 1
        }
    }

    /// Reduces the decisions of ended runs to digests, because nobody opens their signals again.
    ///
    /// If the remaining decisions take too much room, the oldest of them become digests, too.
    mutating func digest(where isOver: (Name) -> Bool) {
        for (run, signals) in byRun where isOver(run) {
            for signal in signals { digest(signal) }
        }
        // This makes a new dictionary, because a dictionary that shrinks keeps its memory.
        byRun = byRun.filter { !isOver($0.key) }
        makeRoom(for: 0)
    }

    /// Reduces the decisions of an ended run to digests, because nobody opens its signals again.
    mutating func digest(of run: Name) {
        guard !byRun.isEmpty else { return }
        for signal in byRun.removeValue(forKey: run) ?? [] where self[signal]?.waiting.owner.run == run {
            digest(signal)
        }
    }

    private mutating func digest(_ signal: Name) {
        guard var ended = self[signal] else { return }
        size -= ended.size
        ended.digest()
        signals[signal] = .signal(ended)
    }

    /// Forgets expired signals, except those of unfinished runs, which may open them again.
    ///
    /// - Returns: The forgotten signals.
    mutating func forget(at now: Moment, isUnfinished: (Name) -> Bool) -> [Name] {
        var forgotten: [Name] = []
        var kept: [Name] = []
        while let first = line.first, first.until <= now {
            line.removeFirst()
            digested = max(0, digested - 1)
            if let run = self[first.signal]?.waiting.owner.run, isUnfinished(run) {
                kept.append(first.signal)
            } else {
                drop(first.signal)
                forgotten.append(first.signal)
            }
        }
        for signal in kept { line.append((signal, now.advanced(by: retention))) }
        return forgotten
    }

    private mutating func drop(_ signal: Name) {
        guard case .signal(let ended) = signals.removeValue(forKey: signal) else { return }
        size -= ended.size
        guard let run = ended.waiting.owner.run, byRun[run] != nil else { return }
        byRun[run]?.removeAll { $0 == signal }
        if byRun[run]?.isEmpty == true { byRun[run] = nil }
    }
}

import ForgeBusProtocol

/// The signals that wait, with the votes on them; it counts both against the worker's limits.
struct WaitingSignals {
    /// A wait in memory of its own, so that a large table moves only references when it grows.
    private indirect enum Kept {
        case wait(SignalWait)
    }

    private var waits = LargeTable<Name, Kept>()
    /// The signals in the order in which they opened.
    private(set) var order = NameIndex()
    /// How many bytes the votes take.
    private(set) var votesSize = 0
    /// The signals that runs waited for in an earlier worker, by run.
    private var orphans: [Name: [Name]] = [:]
    /// Counts the waits restored from an earlier worker.
    private var restoredWaiters: UInt64 = 0
    private let limits: WorkerLimits

    init(_ limits: WorkerLimits) { self.limits = limits }

    /// How many signals wait.
    var count: Int { order.count }

    /// Whether as many signals wait as the limit allows.
    var areFull: Bool { count >= limits.waitingSignals }

    /// Whether the limit allows this many more bytes of votes.
    func haveRoom(forVotes size: Int) -> Bool { votesSize + size <= limits.votesSizeInBytes }

    /// The wait for a signal; nil if nobody waits for it.
    ///
    /// Setting a wait adds it or replaces the former one; setting nil ends it.
    subscript(signal: Name) -> SignalWait? {
        get { if case .wait(let wait) = waits[signal] { wait } else { nil } }
        set {
            let former: SignalWait? =
                if case .wait(let wait) = waits.exchange(newValue.map(Kept.wait), under: signal) { wait } else { nil }
            votesSize += (newValue?.votesSize ?? 0) - (former?.votesSize ?? 0)
            guard former?.opened != newValue?.opened else { return }
            if let former { order.remove(signal, at: former.opened) }
            if let newValue { order.insert(signal, at: newValue.opened) }
        }
    }

    /// The wait of this waiter for a signal; nil if the waiter does not wait for it any more.
    subscript(signal: Name, waiter: WaiterID) -> SignalWait? {
        self[signal].flatMap { $0.waiter == waiter ? $0 : nil }
    }

    /// Returns an id for a restored wait; it differs from those of new waits, which have small numbers.
    mutating func mintWaiter() -> WaiterID {
        restoredWaiters += 1
        return WaiterID(number: UInt64.max - restoredWaiters)
    }

    /// Remembers that a run waited for the signal in an earlier worker.
    mutating func orphan(_ signal: Name, of run: Name) { orphans[run, default: []].append(signal) }

    /// The signals that the run waited for in an earlier worker and has not opened again, with what waited for each.
    func orphans(of run: Name) -> [(signal: Name, owner: SignalOwner)] {
        guard let signals = orphans.isEmpty ? nil : orphans[run] else { return [] }
        return signals.compactMap { signal in
            guard let wait = self[signal], wait.isOrphaned, wait.owner.run == run else { return nil }
            return (signal, wait.owner)
        }
    }

    /// Forgets the signals that the run waited for in an earlier worker.
    mutating func forgetOrphans(of run: Name) { if !orphans.isEmpty { orphans[run] = nil } }
}

import ForgeBusStore
import ZeroMQ

/// Commits what the core has decided, and has the effects carried out afterwards, in the order of the decisions.
///
/// Owned by the reactor thread.
final class Committer {
    /// The loop that owns this; it lives longer, so a checked reference would only cost time on each use.
    private unowned(unsafe) let loop: WorkerLoop
    private let store: (any BusStore)?
    /// The effects that wait for commits.
    private var commits = CommitLane()
    /// Whether the latest commit that another thread finished took less than ``quickness``.
    private var isQuick = false
    /// Changes that no effect waits for: they go into the next awaited commit, or soon into a commit of their own.
    private var held: [StoreChange] = []
    private var holding: TimerID?

    /// The longest time of a quick commit: enough for a flash disk, and several times as long as waking a thread.
    var quickness = Duration.microseconds(500)
    /// How long a change that no effect waits for may wait for its commit.
    private static let longestHold = Duration.milliseconds(1)

    init(of loop: WorkerLoop, to store: (any BusStore)?) { (self.loop, self.store) = (loop, store) }

    /// About how many bytes the waiting effects and changes take.
    var size: Int { commits.size }

    /// When the oldest unfinished commit began; nil if nothing waits.
    var oldest: ContinuousClock.Instant? { commits.oldest }

    /// Whether no change and no effect waits.
    var isIdle: Bool { commits.isEmpty && held.isEmpty }

    /// Commits the changes, then has the effects carried out; the effects of earlier calls always come first.
    func commit(_ decided: Consequences, _ reactor: isolated Reactor) {
        if decided.changes.isEmpty, isIdle {
            return loop.lease == nil ? loop.carryOut(decided.effects, reactor) : confirm(decided.effects, reactor)
        }
        if decided.effects.isEmpty { return hold(decided.changes, reactor) }
        commit(held.isEmpty ? decided.changes : held + decided.changes, then: decided.effects, reactor)
    }

    /// Commits the changes that no effect waits for, unless they may wait a little longer.
    func commitHeld(_ reactor: isolated Reactor) {
        if holding == nil, !held.isEmpty { commit(held, then: [], reactor) }
    }

    /// Batches unawaited changes into the next awaited commit, or soon into one of their own.
    private func hold(_ changes: [StoreChange], _ reactor: isolated Reactor) {
        held += changes
        guard holding == nil, !held.isEmpty, loop.simulated == nil else { return }
        holding = reactor.schedule(at: ContinuousClock.now + Self.longestHold) { [self] in holding = nil }
    }

    private func commit(_ changes: [StoreChange], then effects: [Effect], _ reactor: isolated Reactor) {
        held = []
        // These effects wait only for earlier commits. Without a store there are none, and this line is never reached.
        guard !changes.isEmpty else {
            if loop.lease != nil { return confirm(effects, reactor) }
            return commits.wait(effects)
        }
        let began = ContinuousClock.now
        let ticket = commits.begin(effects, changes.reduce(0) { $0 + $1.size }, at: began)
        let handover = Handover()
        store?.commit(changes) { [loop] error in
            handover.finish(error) { error in
                let duration = ContinuousClock.now - began
                loop.submit { reactor in loop.committer.committed(ticket, error, within: duration, reactor) }
            }
        }
        // A store that is done at once, such as memory, needs no trip through the reactor's queue.
        if let outcome = handover.outcomeAtReturn() { return committed(ticket, outcome.error, reactor) }
        if isQuick { reactor.stayAwake(until: began + quickness) }
        loop.watchCommits(reactor)
    }

    /// Has effects carried out that depend on no commit of this turn, but only after one more renewal of the lease.
    private func confirm(_ effects: [Effect], _ reactor: isolated Reactor) {
        let ticket = commits.begin(effects)
        loop.lease?.confirm { [loop] error in
            loop.submit { reactor in loop.committer.committed(ticket, error, reactor) }
        }
        loop.watchCommits(reactor)
    }

    private func committed(
        _ ticket: CommitLane.Ticket,
        _ error: StoreError?,
        within duration: Duration,
        _ reactor: isolated Reactor
    ) {
        isQuick = duration < quickness
        committed(ticket, error, reactor)
    }

    private func committed(_ ticket: CommitLane.Ticket, _ error: StoreError?, _ reactor: isolated Reactor) {
        guard loop.mayAct else { return }
        if let error { return loop.fail(error) }
        for effects in commits.finish(ticket) { loop.carryOut(effects, reactor) }
        loop.checkCommitsIfNeeded()
    }
}

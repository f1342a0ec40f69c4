import DequeModule
import ForgeBusProtocol
import ForgeBusStore
import ForgeLocks
import ForgeOrchestrator

/// Effects that wait for commits, in the order in which the core requested the effects.
///
/// An effect may depend on the changes of any earlier commit. So an effect never overtakes an earlier one.
struct CommitLane {
    /// Identifies one unfinished commit.
    struct Ticket: Hashable {
        fileprivate let number: Int
    }

    private struct Batch {
        let ticket: Ticket
        let effects: [Effect]
        let size: Int
        /// When the commit began.
        let began: ContinuousClock.Instant
        var isCommitted: Bool
    }

    private var batches: Deque<Batch> = []
    private var last = 0
    /// About how many bytes the waiting effects and changes take.
    private(set) var size = 0

    /// When the oldest unfinished commit began; nil if nothing waits.
    var oldest: ContinuousClock.Instant? { batches.first?.began }

    /// Whether nothing waits.
    var isEmpty: Bool { batches.isEmpty }

    /// Begins a commit that these effects wait for.
    ///
    /// - Parameters:
    ///   - effects: The waiting effects.
    ///   - size: About how many bytes the committed changes take.
    ///   - began: The current time.
    /// - Returns: The ticket with which to finish the commit.
    mutating func begin(
        _ effects: [Effect],
        _ size: Int = 0,
        at began: ContinuousClock.Instant = .now
    ) -> Ticket { append(effects, size, began, isCommitted: false) }

    /// Adds effects without changes; they must not overtake the effects that wait already.
    mutating func wait(_ effects: [Effect]) {
        _ = append(effects, 0, batches.last?.began ?? .now, isCommitted: true)
    }

    /// Finishes a commit.
    ///
    /// - Returns: The effects to carry out now, in order: all effects before those of the first unfinished commit.
    mutating func finish(_ ticket: Ticket) -> [[Effect]] {
        if let index = batches.firstIndex(where: { $0.ticket == ticket }) { batches[index].isCommitted = true }
        var free: [[Effect]] = []
        while let first = batches.first, first.isCommitted {
            batches.removeFirst()
            size -= first.size
            free.append(first.effects)
        }
        return free
    }

    private mutating func append(
        _ effects: [Effect],
        _ more: Int,
        _ began: ContinuousClock.Instant,
        isCommitted: Bool
    ) -> Ticket {
        last += 1
        let ticket = Ticket(number: last)
        let size = effects.reduce(more) { $0 + $1.size }
        self.size += size
        batches.append(Batch(ticket: ticket, effects: effects, size: size, began: began, isCommitted: isCommitted))
        return ticket
    }
}

extension StoreChange {
    /// About how many bytes the change takes until it is committed.
    var size: Int {
        switch self {
        case .put(.run(let record)):
            512 + record.seeds.footprint + (record.end?.result.footprint ?? 0)
        case .put(.progress(let record)): record.values.reduce(512) { $0 + $1.json.count + 64 }
        case .put(.signal(let record)): 512 + record.state.sizeInBytes
        case .put(.debt): 8192
        case .output(let output): output.footprint
        case .put(.requested(let record)): 512 + record.seeds.footprint + record.subjects.count * 64
        case .put(.texts(let texts)): 512 + texts.members.footprint
        case .put(.request), .put(.mode), .put(.trouble), .put(.pause), .remove, .append, .audit: 512
        }
    }
}

extension SignalRecord.State {
    fileprivate var sizeInBytes: Int {
        switch self {
        case .waiting: 0
        case .settled(_, .decided(let outcome, _, _, _), _): outcome.sizeInBytes
        case .settled: 0
        case .early(let early): early.reduce(0) { $0 + $1.outcome.sizeInBytes }
        }
    }
}

extension Effect {
    /// About how many bytes the effect takes until it is carried out, without the data that the core keeps anyway.
    fileprivate var size: Int {
        guard case .answer(let answer, _) = self else { return 256 }
        switch answer.content {
        case .page(let page): return page.items.reduce(512) { $0 + $1.footprint }
        case .shown(let item): return 512 + item.footprint
        case .pong(let pong): return 512 + pong.body.count
        case .welcome, .accepted, .progress, .result, .evaluated, .verdict, .ok, .event, .error: return 512
        }
    }
}

/// Distinguishes a commit that is done before `commit` returns from a commit that is done later, on any thread.
final class Handover: Sendable {
    /// How a commit ended.
    struct Outcome: Sendable {
        let error: StoreError?
    }

    private enum State {
        case underWay
        case done(Outcome)
        case returned
    }

    private let state = Guarded(State.underWay)

    /// Records that the commit is done; calls `later` if `commit` has returned already.
    func finish(_ error: StoreError?, later: (StoreError?) -> Void) {
        let hasReturned = state.withLock { state in
            if case .returned = state { return true }
            state = .done(Outcome(error: error))
            return false
        }
        if hasReturned { later(error) }
    }

    /// Records that `commit` has returned; gives the outcome, or nil if the commit is not done yet.
    func outcomeAtReturn() -> Outcome? {
        state.withLock { state in
            guard case .done(let outcome) = state else {
                state = .returned
                return nil
            }
            return outcome
        }
    }
}

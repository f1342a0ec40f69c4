import DequeModule
import ForgeBusProtocol
import ForgeBusStore
import TestSupport

@testable import ForgeBusWorker

/// A store whose commits are done later, in any order, and a witness that nothing leaves before its own.
///
/// What may leave is decided by the worker's own ``CommitLane``; the witness keeps its own count of turns.
struct SimulatedStore {
    private var lane = CommitLane()
    private struct Commit {
        let ticket: CommitLane.Ticket
        let turn: Int
        let changes: [StoreChange]
    }

    private var underWay: [Commit] = []
    /// How many of those under way, from the first, are on the disk already, though the worker does not know.
    private var written = 0
    /// What is on the disk.
    private var disk: [StoreKey: StoreRecord] = [:]
    private var turns = 0
    /// What was decided and has not left, with the turn it was decided in.
    private var decided: Deque<(mark: Int, turn: Int)> = []

    /// Whether no commit is under way.
    var isIdle: Bool { underWay.isEmpty }

    /// Whether all that was decided has left.
    var isEverythingOut: Bool { decided.isEmpty }

    /// A turn has ended.
    ///
    /// - Returns: What may be carried out now.
    mutating func take(_ turn: Consequences) -> [[Effect]] {
        turns += 1
        for effect in turn.effects { decided.append((effect.mark, turns)) }
        if !turn.changes.isEmpty {
            underWay.append(Commit(ticket: lane.begin(turn.effects), turn: turns, changes: turn.changes))
            return []
        }
        guard !lane.isEmpty else { return [turn.effects] }
        lane.wait(turn.effects)
        return []
    }

    /// One of the commits under way is done.
    ///
    /// - Returns: What may be carried out now.
    mutating func commit(_ generator: inout SeededGenerator) -> [[Effect]] {
        guard !underWay.isEmpty else { return [] }
        let index = generator.oneIn(2) ? 0 : generator.below(underWay.count)
        write(index + 1)
        written -= 1
        return lane.finish(underWay.remove(at: index).ticket)
    }

    /// The worker dies: what is under way is written as far as it is, in its order, and the rest is lost.
    ///
    /// - Returns: What is on the disk, in an order that means nothing.
    mutating func crash(_ generator: inout SeededGenerator) -> [StoreRecord] {
        write(written + generator.below(underWay.count - written + 1))
        return reopen(&generator)
    }

    /// The worker has stopped, or died: another one takes over what is on the disk.
    mutating func reopen(_ generator: inout SeededGenerator) -> [StoreRecord] {
        (lane, underWay, written, turns) = (CommitLane(), [], 0, 0)
        decided = []
        return disk.values.sorted { ($0.key.kind.rawValue, $0.key.text) < ($1.key.kind.rawValue, $1.key.text) }
            .shuffled(using: &generator)
    }

    private mutating func write(_ count: Int) {
        guard count > written else { return }
        for change in underWay[written..<count].flatMap(\.changes) {
            switch change {
            case .put(let record): disk[record.key] = record
            case .remove(let key): disk[key] = nil
            case .append, .output, .audit: break
            }
        }
        written = count
    }

    /// An effect leaves.
    ///
    /// - Returns: What is wrong with that; nil if it was its turn, and that turn and all before it are committed.
    mutating func leaves(_ effect: Effect) -> String? {
        guard let next = decided.popFirst(), next.mark == effect.mark else { return "out of order: \(effect.line)" }
        if underWay.contains(where: { $0.turn <= next.turn }) { return "before its cause is committed: \(effect.line)" }
        return nil
    }
}

// What is asked of the store beside commits.
extension SimulatedBus {
    /// The store does what an operator asks, or cannot.
    mutating func perform(_ key: RequestKey) {
        let error = StoreError(.inputOutput, "It could not be read.", next: "Look after the disk.")
        posted.append(.performed(key, generator.oneIn(4) ? .failure(error) : .success(["sound": true])))
    }

    /// The store runs short of room, or has enough again.
    mutating func changeRoom() { step(.room(generator.oneIn(3) ? .short : .ample)) }
}

extension Effect {
    /// Tells effects apart well enough to see that their order is kept.
    fileprivate var mark: Int {
        switch self {
        case .answer(let answer, let caller):
            var hasher = Hasher()
            hasher.combine(answer.id)
            hasher.combine(caller)
            return hasher.finalize()
        case .tell(let told):
            var hasher = Hasher()
            hasher.combine(told.key)
            hasher.combine(told.sequence)
            return hasher.finalize()
        case .start(let start): return start.run.hashValue
        case .cancel(let run): return run.hashValue &+ 1
        case .follow(let run): return run.hashValue &+ 4
        case .abandon(let run): return run.hashValue &+ 2
        case .dropRest(let run): return run.hashValue &+ 3
        case .resume(let waiter, _): return Int(truncatingIfNeeded: waiter.number)
        case .runCycle(let monitor, _): return -1 - monitor
        case .cancelCycle(let monitor): return -11 - monitor
        case .show(_, let monitor): return -21 - monitor
        case .pause(let isPaused, let monitor): return (isPaused ? -41 : -51) - monitor
        case .lookUp(let query): return query.request.hashValue &+ query.caller.number
        case .perform(_, let key): return key.hashValue
        case .audit, .warn: return -30
        case .drained: return -31
        }
    }
}

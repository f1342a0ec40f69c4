import ForgeLocks

/// Evaluates many conditions concurrently, with as few child tasks as possible.
///
/// A child task begins on the calling thread, if the system supports that. It evaluates one condition after the other
/// until a condition suspends. The caller then continues and starts another child for the conditions that are left. So
/// no condition waits for a suspended condition, and conditions that do not suspend share one child, without a switch
/// to another thread.
///
/// After a condition took longer than ``patience``, each condition that is left gets a child of its own on the thread
/// pool, and these children run in parallel. A single condition needs no child: the caller evaluates it.
package final class ConditionPoll: Sendable {
    /// The time after which the remaining conditions run in parallel.
    ///
    /// Starting a child task on the thread pool takes about a hundredth of this time.
    static let patience = Duration.milliseconds(1)

    /// The answers so far and the condition to evaluate next; the mutex guards this state.
    private struct State {
        var answers: [Bool]
        /// The index of the condition to evaluate next.
        var next = 0
        /// Whether a condition took longer than `patience`; each remaining condition then gets a child of its own.
        var isSpread = false

        mutating func take() -> Int? {
            guard next < answers.count else { return nil }
            defer { next += 1 }
            return next
        }
    }

    /// Evaluates the condition at an index.
    package typealias Condition = nonisolated(nonsending) @Sendable (Int) async -> Bool

    private let state: Guarded<State>
    private let stopwatch: Stopwatch
    private let condition: Condition

    /// Evaluates `count` conditions and returns their answers in the order of the conditions.
    ///
    /// The stopwatch measures how long each condition takes.
    package nonisolated(nonsending) static func ask(
        _ count: Int,
        _ stopwatch: Stopwatch,
        _ condition: @escaping Condition
    ) async -> [Bool] {
        switch count {
        case 0: return []
        case 1: return [await condition(0)]
        default: break
        }
        let poll = ConditionPoll(count, stopwatch, condition)
        await poll.askAll()
        return poll.state.withLock { $0.answers }
    }

    private init(_ count: Int, _ stopwatch: Stopwatch, _ condition: @escaping Condition) {
        self.state = Guarded(State(answers: [Bool](repeating: false, count: count)))
        self.stopwatch = stopwatch
        self.condition = condition
    }

    private nonisolated(nonsending) func askAll() async {
        await withDiscardingTaskGroup { group in
            while let (first, isSpread) = takeFirst() {
                if isSpread {
                    group.addTask { await self.ask(startingWith: first) }
                } else {
                    group.addChild { await self.ask(startingWith: first) }
                }
            }
        }
    }

    private func takeFirst() -> (index: Int, isSpread: Bool)? {
        state.withLock { state in state.take().map { ($0, state.isSpread) } }
    }

    /// Evaluates the condition `first` and the conditions after it, until a condition takes longer than `patience`.
    ///
    /// When a condition suspends, the caller starts another child for the conditions that are left.
    private nonisolated(nonsending) func ask(startingWith first: Int) async {
        var next: Int? = first
        var asked = stopwatch.elapsed
        while let index = next {
            let answer = await condition(index)
            let answered = stopwatch.elapsed
            next = state.withLock { state in
                state.answers[index] = answer
                // The time of a suspension counts, too. That does no harm: another child already evaluates the rest.
                if answered - asked > Self.patience { state.isSpread = true }
                return state.isSpread ? nil : state.take()
            }
            asked = answered
        }
    }
}

import ForgeLocks

/// Asks many conditions at once, with as few tasks as that takes.
///
/// A child task that begins on the calling thread asks one condition after the other until one suspends. Then the
/// caller is back, and starts another child for those not asked yet. So no condition waits for one that is suspended,
/// and conditions that do not suspend share one child and cost no hop to another thread. Once one of them has computed
/// for longer than ``patience``, each of the rest gets a child of the pool, and they compute side by side. A lone
/// condition has nobody to wait for it, and is asked by the caller itself.
package final class ConditionPoll: Sendable {
    /// What a condition may compute before the rest no longer wait for each other: a child of the pool costs a hundredth.
    static let patience = Duration.milliseconds(1)

    /// Guarded by the mutex.
    private struct State {
        var answers: [Bool]
        /// The condition to ask next.
        var next = 0
        /// Whether one took longer than the patience, so that each of the rest gets a child.
        var isSpread = false

        mutating func take() -> Int? {
            guard next < answers.count else { return nil }
            defer { next += 1 }
            return next
        }
    }

    /// Asks the condition at an index.
    package typealias Condition = nonisolated(nonsending) @Sendable (Int) async -> Bool

    private let state: Guarded<State>
    private let stopwatch: Stopwatch
    private let condition: Condition

    /// The answers of `count` conditions, in their order; the stopwatch measures what each computes.
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

    /// Asks that condition, and the next ones until one suspends or took long: then the caller hands out the rest.
    private nonisolated(nonsending) func ask(startingWith first: Int) async {
        var next: Int? = first
        var asked = stopwatch.elapsed
        while let index = next {
            let answer = await condition(index)
            let answered = stopwatch.elapsed
            next = state.withLock { state in
                state.answers[index] = answer
                // The time of a suspension counts too, and does no harm: the caller has handed out the rest meanwhile.
                if answered - asked > Self.patience { state.isSpread = true }
                return state.isSpread ? nil : state.take()
            }
            asked = answered
        }
    }
}

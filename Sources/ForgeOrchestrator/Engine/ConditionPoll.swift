import ForgeLocks

/// Asks many conditions at once, with as few tasks as that takes.
///
/// A child task that begins on the calling thread asks one condition after the other until one suspends. Then the
/// caller is back, and starts another child for those not asked yet. So no condition waits for one that is suspended,
/// and conditions that do not suspend share one child and cost no hop to another thread. A lone condition has nobody to wait
/// for it, and is asked by the caller itself.
package final class ConditionPoll: Sendable {
    /// Guarded by the mutex.
    private struct State {
        var answers: [Bool]
        /// The condition to ask next.
        var next = 0

        mutating func take() -> Int? {
            guard next < answers.count else { return nil }
            defer { next += 1 }
            return next
        }
    }

    /// Asks the condition at an index.
    package typealias Condition = nonisolated(nonsending) @Sendable (Int) async -> Bool

    private let state: Guarded<State>
    private let condition: Condition

    /// The answers of `count` conditions, in their order.
    package nonisolated(nonsending) static func ask(_ count: Int, _ condition: @escaping Condition) async -> [Bool] {
        switch count {
        case 0: return []
        case 1: return [await condition(0)]
        default: break
        }
        let poll = ConditionPoll(count, condition)
        await poll.askAll()
        return poll.state.withLock { $0.answers }
    }

    private init(_ count: Int, _ condition: @escaping Condition) {
        self.state = Guarded(State(answers: [Bool](repeating: false, count: count)))
        self.condition = condition
    }

    private nonisolated(nonsending) func askAll() async {
        await withDiscardingTaskGroup { group in
            while let first = state.withLock({ $0.take() }) {
                group.addChild { await self.ask(startingWith: first) }
            }
        }
    }

    private nonisolated(nonsending) func ask(startingWith first: Int) async {
        var next: Int? = first
        while let index = next {
            let answer = await condition(index)
            next = state.withLock { state in
                state.answers[index] = answer
                return state.take()
            }
        }
    }
}

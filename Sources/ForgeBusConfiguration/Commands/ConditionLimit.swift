import ForgeOrchestrator
import Synchronization

/// Lets a limited number of conditions run at the same time; the others wait in a queue.
///
/// All conditions of a pipeline or a monitor are evaluated together, and many runs may start together. Without a limit,
/// many requests at once would start too many processes at once.
final class ConditionLimit: Sendable {
    /// The limit of this process: 16 conditions.
    static let process = ConditionLimit(16)

    private struct State {
        var free: Int
        var line: [CompletionSignal] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Runs `body` as soon as fewer conditions run than the limit allows.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before `body` starts; `body` then does not run.
    func run<Value: Sendable>(_ body: () async -> Value) async throws(CancellationError) -> Value {
        try await enter()
        defer { leave() }
        return await body()
    }

    private func enter() async throws(CancellationError) {
        let turn = CompletionSignal()
        let isFree = state.withLock { state in
            guard state.free == 0 else {
                state.free -= 1
                return true
            }
            state.line.append(turn)
            return false
        }
        if isFree { return }
        do {
            try await turn.waitUnlessCancelled()
        } catch {
            let hadLeftLine = state.withLock { state in
                guard let index = state.line.firstIndex(where: { $0 === turn }) else { return true }
                state.line.remove(at: index)
                return false
            }
            // This condition's turn came at the same moment as the cancellation: the next condition in line gets the
            // turn.
            if hadLeftLine { leave() }
            throw error
        }
    }

    private func leave() {
        let next: CompletionSignal? = state.withLock { state in
            if state.line.isEmpty {
                state.free += 1
                return nil
            }
            return state.line.removeFirst()
        }
        next?.complete()
    }
}

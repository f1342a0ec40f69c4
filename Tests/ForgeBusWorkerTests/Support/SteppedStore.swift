import ForgeBusProtocol
import ForgeBusStore
import ForgeLocks
import TestSupport
import ZeroMQ

/// A store whose commits are done, or fail, when the test says so.
final class SteppedStore: BusStore {
    typealias Completion = @Sendable (StoreError?) -> Void

    private struct State {
        var isHolding = false
        var failure: StoreError?
        var held: [Completion] = []
    }

    private let state = Guarded(State())
    /// Every commit that was asked for.
    let commits = Record<[StoreChange]>()
    let durability: Durability
    let identity: String? = StoreIdentity.random()

    init(durability: Durability = .memory) { self.durability = durability }

    /// From now on nothing is done until ``release(_:)``.
    func hold() { state.withLock { $0.isHolding = true } }

    /// From now on every commit fails.
    func fail(_ error: StoreError) { state.withLock { $0.failure = error } }

    /// The first of the held commits are done, in their order.
    func release(_ count: Int) {
        let completions = state.withLock { state in
            defer { state.held.removeFirst(count) }
            return state.held.prefix(count)
        }
        for completion in completions { completion(nil) }
    }

    /// All held commits are done, in their order, and from now on each at once.
    func releaseAll() {
        let completions = state.withLock { state in
            defer { (state.isHolding, state.held) = (false, []) }
            return state.held
        }
        for completion in completions { completion(nil) }
    }

    func load() async throws(StoreError) -> [StoreRecord] { [] }

    func commit(_ changes: [StoreChange], completion: @escaping Completion) {
        let (isHeld, failure) = state.withLock { state in
            if state.isHolding { state.held.append(completion) }
            return (state.isHolding, state.failure)
        }
        commits.add(changes)
        if !isHeld { completion(failure) }
    }

    func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry] { [] }
    func outputs(of run: Name, action: String?, limit: Int) async throws(StoreError) -> [ActionOutput] { [] }
    func texts(of run: Name) async throws(StoreError) -> RunTexts? { nil }
    func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject { [:] }
    func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void) {}
    func close() async {}
}

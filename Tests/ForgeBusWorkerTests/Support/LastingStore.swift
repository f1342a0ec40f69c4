import ForgeBusProtocol
import ForgeBusStore
import ForgeLocks
import TestSupport
import ZeroMQ

/// A store that says of itself that it survives, and does as long as the test: workers come after one another on it.
///
/// What it tells of its room, whether its commits are done, and whether it can be read, the test says.
final class LastingStore: BusStore {
    private struct State {
        var isHolding = false
        var held: [@Sendable () -> Void] = []
        var flaw: StoreError?
        var observe: (@Sendable (StoreRoom) -> Void)?
    }

    private let memory = MemoryStore()
    private let state = Guarded(State())
    let durability = Durability.fsynced
    let identity: String?
    /// Every commit that was asked for.
    let commits = Record<[StoreChange]>()
    /// What operators had done.
    let performed = Record<StoreTask>()

    init(identity: String? = StoreIdentity.random()) { self.identity = identity }

    /// How many records are kept.
    var count: Int { memory.count }

    /// A store of its own with what is kept in this one now: what is left when a worker dies at this moment.
    func leftNow() async throws -> LastingStore {
        let other = LastingStore(identity: identity)
        other.memory.commit(try await memory.load().map { .put($0) }) { _ in }
        return other
    }

    /// From now on no commit is done until ``letGo()``.
    func hold() { state.withLock { $0.isHolding = true } }

    /// Does all that was held, and holds no more.
    func letGo() {
        let held = state.withLock { state in
            state.isHolding = false
            return exchange(&state.held, with: [])
        }
        for commit in held { commit() }
    }

    /// What is kept cannot be had.
    func refuse(_ flaw: StoreError) { state.withLock { $0.flaw = flaw } }

    /// Room runs short, or there is enough again.
    func tell(_ room: StoreRoom) { state.withLock { $0.observe }?(room) }

    func load() async throws(StoreError) -> [StoreRecord] {
        if let flaw = state.withLock({ $0.flaw }) { throw flaw }
        return try await memory.load()
    }

    func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void) {
        let commit: @Sendable () -> Void = { [memory] in memory.commit(changes, completion: completion) }
        let isHeld = state.withLock { state in
            if state.isHolding { state.held.append(commit) }
            return state.isHolding
        }
        commits.add(changes)
        if !isHeld { commit() }
    }

    func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry] {
        try await memory.history(of: name, limit: limit)
    }

    func outputs(of run: Name, action: String?, limit: Int) async throws(StoreError) -> [ActionOutput] {
        try await memory.outputs(of: run, action: action, limit: limit)
    }

    func texts(of run: Name) async throws(StoreError) -> RunTexts? { try await memory.texts(of: run) }

    func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject {
        performed.add(task)
        if case .backup(let name) = task { return ["name": .string(name.text)] }
        return try await memory.perform(task)
    }

    func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void) {
        state.withLock { $0.observe = observer }
    }

    func close() async {}
}

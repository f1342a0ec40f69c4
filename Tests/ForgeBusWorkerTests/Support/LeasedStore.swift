import ForgeBusProtocol
import ForgeBusStore
import ForgeLocks
import TestSupport

/// A store in memory that another process could take over, with a lease that a test steers.
final class LeasedStore: BusStore {
    let term = Term()
    /// What it keeps.
    let kept = LastingStore()
    /// Whether ``load()`` waits, as if another process held the name.
    private let isHeldElsewhere: Bool

    init(isHeldElsewhere: Bool = false) { self.isHeldElsewhere = isHeldElsewhere }

    var durability: Durability { .fsynced }
    var identity: String? { kept.identity }
    var lease: (any StoreLease)? { term }

    func load() async throws(StoreError) -> [StoreRecord] {
        guard isHeldElsewhere else { return try await kept.load() }
        try? await Task.sleep(for: .seconds(1 << 30))
        throw StoreError(.cancelled, "The wait was given up.", next: "Wait again.")
    }

    func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void) {
        kept.commit(changes, completion: completion)
    }

    func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry] {
        try await kept.history(of: name, limit: limit)
    }

    func outputs(of run: Name, action: String?, limit: Int) async throws(StoreError) -> [ActionOutput] {
        try await kept.outputs(of: run, action: action, limit: limit)
    }

    func texts(of run: Name) async throws(StoreError) -> RunTexts? { try await kept.texts(of: run) }

    func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject { try await kept.perform(task) }
    func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void) {}
    func close() async {}

    /// The lease.
    final class Term: StoreLease {
        private struct State {
            var end = ContinuousClock.now + .seconds(1 << 30)
            var error: StoreError?
            var isHolding = false
            var waiting: [@Sendable (StoreError?) -> Void] = []
        }

        private let state = Guarded(State())
        /// One for each confirmation that was asked for.
        let asked = Record<Void>()
        /// One for each time that the lease was to run out.
        let isKept = Record<Void>()

        let name = "deploys"
        let epoch: Int64 = 7
        var end: ContinuousClock.Instant { state.withLock { $0.end } }

        var error: StoreError? {
            state.withLock { state in
                if ContinuousClock.now >= state.end { state.error = state.error ?? Self.over }
                return state.error
            }
        }

        static let over = StoreError(.superseded, "The lease is over.", next: "Start the worker again.")

        /// Another process has taken the name over.
        func lose() { state.withLock { $0.error = Self.over } }

        /// The lease ends at this time.
        func end(at end: ContinuousClock.Instant) { state.withLock { $0.end = end } }

        /// From now on no renewal comes back until ``letGo()``.
        func hold() { state.withLock { $0.isHolding = true } }

        func letGo() {
            let waiting = state.withLock { state in
                state.isHolding = false
                return exchange(&state.waiting, with: [])
            }
            for completion in waiting { completion(error) }
        }

        func keepUntilItEnds() { isKept.add(()) }

        func confirm(_ completion: @escaping @Sendable (StoreError?) -> Void) {
            let isHeld = state.withLock { state in
                if state.isHolding { state.waiting.append(completion) }
                return state.isHolding
            }
            asked.add(())
            if !isHeld { completion(error) }
        }
    }
}

import ForgeBusProtocol
import ForgeBusStore

/// A store that throws the error that a test has scripted; without such an error, it calls the store that it wraps.
final class FaultyStore: BusStore {
    private let store: any BusStore
    private let faults: Faults
    let durability: Durability
    var identity: String? { store.identity }
    var lease: (any StoreLease)? { store.lease }

    /// Wraps `store`; this store then reports `durability`, or the durability of `store` if `durability` is nil.
    init(_ store: any BusStore, durability: Durability? = nil, _ faults: Faults) {
        self.store = store
        self.faults = faults
        self.durability = durability ?? store.durability
    }

    func load() async throws(StoreError) -> [StoreRecord] {
        if let error = faults.storeError { throw error }
        return try await store.load()
    }

    func commit(_ changes: [StoreChange], completion: @escaping @Sendable (StoreError?) -> Void) {
        if let error = faults.storeError { return completion(error) }
        store.commit(changes, completion: completion)
    }

    func history(of name: Name, limit: Int) async throws(StoreError) -> [JournalEntry] {
        if let error = faults.storeError { throw error }
        return try await store.history(of: name, limit: limit)
    }

    func outputs(of run: Name, action: String?, limit: Int) async throws(StoreError) -> [ActionOutput] {
        if let error = faults.storeError { throw error }
        return try await store.outputs(of: run, action: action, limit: limit)
    }

    func texts(of run: Name) async throws(StoreError) -> RunTexts? {
        if let error = faults.storeError { throw error }
        return try await store.texts(of: run)
    }

    func perform(_ task: StoreTask) async throws(StoreError) -> JSONObject {
        if let error = faults.storeError { throw error }
        return try await store.perform(task)
    }

    func observeRoom(_ observer: @escaping @Sendable (StoreRoom) -> Void) {
        faults.observeRoom(observer)
        store.observeRoom(observer)
    }

    func close() async { await store.close() }
}

public import ForgeBusStore

/// One thing that every store does, whatever it keeps its records in.
///
/// A store's tests run each of ``all`` over a place of their own.
public struct StoreBehaviour: Sendable, CustomStringConvertible {
    /// What it does, as a predicate.
    public let predicate: String
    /// Its predicate.
    public var description: String { predicate }
    private let body: @Sendable (StorePlace) async throws -> Void

    init(_ predicate: String, _ body: @escaping @Sendable (StorePlace) async throws -> Void) {
        self.predicate = predicate
        self.body = body
    }

    /// Sees a store at `place` do it.
    ///
    /// - Throws: ``Unmet`` with what it did instead.
    public func check(at place: StorePlace) async throws { try await body(place) }

    /// Everything that is asked of a store.
    public static let all = records + order + journal + outputs + audit
}

/// Where the records of one test are: each store made there finds what the one before it left.
public struct StorePlace: Sendable {
    /// Makes a store; the one before it is closed.
    public let store: @Sendable () -> any BusStore

    /// A place at which `store` makes stores.
    public init(_ store: @escaping @Sendable () -> any BusStore) { self.store = store }

    /// A store that is loaded and gave nothing.
    func fresh() async throws -> any BusStore {
        let store = store()
        let found = try await store.load()
        try expect(found.isEmpty, "a store that is new gave \(found.count) records")
        return store
    }

    /// Closes `store`, and gives what the next one finds, with it.
    func again(after store: any BusStore) async throws -> (any BusStore, [StoreKey: StoreRecord]) {
        await store.close()
        let next = self.store()
        let found = try await next.load()
        let byKey = Dictionary(found.map { ($0.key, $0) }) { first, _ in first }
        try expect(byKey.count == found.count, "a key came twice")
        return (next, byKey)
    }
}

/// A store did not do what every store does.
public struct Unmet: Error, CustomStringConvertible {
    /// What it did instead.
    public let description: String
}

func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    if !condition { throw Unmet(description: otherwise()) }
}

extension BusStore {
    /// Commits, and is back when it is done.
    public func commit(_ changes: [StoreChange]) async throws(StoreError) {
        let failure = await withCheckedContinuation { continuation in
            commit(changes) { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
    }
}

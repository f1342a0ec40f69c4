#if PostgreSQL
import ForgeBusPostgreSQL
import ForgeBusProtocol
import ForgeBusStore
import ForgeLocks
import Foundation

/// A clock that a test moves.
final class TestClock: Sendable {
    private let shift = Guarded(Duration.zero)

    /// What a store takes for the current time.
    var now: @Sendable () -> ContinuousClock.Instant { { [self] in .now + shift.withLock { $0 } } }

    func advance(by duration: Duration) { shift.withLock { $0 += duration } }
}

/// A time that a test sets.
final class TestTime: Sendable {
    private let state: Guarded<Int64>

    init(_ value: Int64) { state = Guarded(value) }

    var value: Int64 {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// The stores of one worker name, each as in a process of its own.
struct Rivals {
    let server: PostgresServer
    let name = "w-\(UUID().uuidString.prefix(8))"

    /// A store with a lease of an hour, so that only a test's clock ends it.
    func store(
        _ clock: TestClock = TestClock(),
        through relay: Relay? = nil,
        renews: Bool = true,
        _ change: (inout PostgreSQLStoreOptions) -> Void = { _ in }
    ) -> PostgreSQLStore {
        var options = PostgreSQLStoreOptions()
        (options.lease, options.margin) = (.seconds(3600), .seconds(60))
        (options.clock, options.renews) = (clock.now, renews)
        options.observationInterval = .milliseconds(10)
        options.observed = { [name] in Self.looked(at: name) }
        change(&options)
        return PostgreSQLStore(server.target(in: relay?.directory), name: name, options: options)
    }

    /// Waits until the processes that wait for the name have looked at the lease so often from now on.
    func observations(_ count: Int) async throws {
        let before = Self.looks.withLock { $0[name, default: 0] }
        while Self.looks.withLock({ $0[name, default: 0] }) < before + count {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Waits until a query has this result.
    func until(_ query: String, is result: String) async throws {
        while try await server.sql(query) != result { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// How often the stores have looked at the lease of each name.
    private static let looks = Guarded<[String: Int]>([:])

    private static func looked(at name: String) { looks.withLock { $0[name, default: 0] += 1 } }
}

/// Whether something has happened.
final class Flag: Sendable {
    private let state = Guarded(false)
    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}

extension Result {
    /// The error, if it is of this type.
    var error: StoreError? { if case .failure(let error) = self { error as? StoreError } else { nil } }
}

/// A record that a test tells from others by its number.
func record(_ number: Int) -> StoreRecord {
    .mode(ModeRecord(monitor: Name(stringLiteral: "m-\(number)"), screen: "s", until: Int64(number)))
}

extension [StoreRecord] {
    /// The numbers of these records, in order.
    var numbers: [Int64] { map { if case .mode(let mode) = $0 { mode.until } else { -1 } }.sorted() }
}
#endif

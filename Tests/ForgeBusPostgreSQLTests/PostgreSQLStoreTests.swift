#if PostgreSQL
import ForgeBusPostgreSQL
import ForgeBusStore
import Foundation
import StoreBehaviour
import Testing

@Suite("A store in PostgreSQL")
struct PostgreSQLStoreTests {
    @Test(
        "behaves as every store does, also through a pooler in transaction mode",
        arguments: StoreBehaviour.all,
        [false, true]
    )
    func behaves(_ behaviour: StoreBehaviour, isPooled: Bool) async throws {
        let server = try await PostgresServer.shared.value
        let name = String(UUID().uuidString.prefix(8))
        try await behaviour.check(
            at: StorePlace {
                var options = PostgreSQLStoreOptions()
                options.outputsSizeInBytes = 16 << 20
                return PostgreSQLStore(server.target(in: isPooled ? server.pool : nil), name: name, options: options)
            }
        )
    }
}
#endif

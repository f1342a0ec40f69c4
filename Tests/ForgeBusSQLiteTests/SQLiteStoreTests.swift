import ForgeBusSQLite
import ForgeBusStore
import StoreBehaviour
import Testing

@Suite("A store on disk")
struct SQLiteStoreTests {
    @Test("behaves as every store does", arguments: StoreBehaviour.all)
    func behaves(_ behaviour: StoreBehaviour) async throws {
        let directory = try StoreDirectory()
        try await behaviour.check(at: StorePlace { directory.store() })
    }
}

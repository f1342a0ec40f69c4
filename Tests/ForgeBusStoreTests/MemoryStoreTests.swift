import ForgeBusStore
import StoreBehaviour
import Testing

@Suite("A store in memory")
struct MemoryStoreTests {
    @Test("behaves as every store does", arguments: StoreBehaviour.all)
    func behaves(_ behaviour: StoreBehaviour) async throws {
        let store = MemoryStore()
        try await behaviour.check(at: StorePlace { store })
    }
}

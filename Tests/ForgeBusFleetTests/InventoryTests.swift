import ForgeBusFleet
import ForgeBusProtocol
import Testing
import ZeroMQ

@Suite("An inventory")
struct InventoryTests {
    @Test("chooses workers by name and by label")
    func selection() throws {
        let web = Inventory.Worker(
            "web-01",
            at: try Endpoint("tcp://127.0.0.1:7717"),
            key: nil,
            labels: ["role": "web"]
        )
        let db = Inventory.Worker("db-01", at: try Endpoint("tcp://127.0.0.1:7718"), key: nil, labels: ["role": "db"])
        let inventory = Inventory(workers: [web, db])
        #expect(inventory.workers.map(\.name) == ["db-01", "web-01"])
        #expect(inventory.workers.filter(Selection.labels(["role": "web"]).contains) == [web])
        #expect(
            inventory.workers.filter(Selection.any([.names(["db-01"]), .labels(["role": "web"])]).contains) == [
                db, web,
            ]
        )
        #expect(inventory.workers.filter(Selection.labels(["role": "web", "zone": "a"]).contains).isEmpty)
    }
}

import ForgeBusFleet
import ForgeBusProtocol
import Testing
import ZeroMQ

@Suite("An inventory")
struct InventoryTests {
    private let inventory: Inventory

    init() throws {
        func worker(_ name: Name, _ port: Int, _ labels: [String: String]) throws -> Inventory.Worker {
            Inventory.Worker(name, at: try Endpoint("tcp://127.0.0.1:\(port)"), key: nil, labels: labels)
        }
        inventory = Inventory(workers: [
            try worker("web-02", 7719, ["role": "web", "zone": "b"]),
            try worker("web-01", 7717, ["role": "web", "zone": "a"]),
            try worker("db-01", 7718, ["role": "db", "zone": "a"]),
        ])
    }

    private func chosen(_ selection: Selection) throws(BusError) -> [Name] {
        try inventory.workers(on: selection).map(\.name)
    }

    @Test("has its workers in the order of their names")
    func order() { #expect(inventory.workers.map(\.name) == ["db-01", "web-01", "web-02"]) }

    @Test("chooses workers by any of the names, by all of the labels, and by several selections together")
    func selection() throws {
        #expect(try chosen(.all) == ["db-01", "web-01", "web-02"])
        #expect(try chosen(Selection(parsing: "web-02,db-01")) == ["db-01", "web-02"])
        #expect(try chosen(Selection(parsing: "role=web")) == ["web-01", "web-02"])
        #expect(try chosen(Selection(parsing: "role=web,zone=a")) == ["web-01"])
        let both = Selection.any([try Selection(parsing: "role=db"), try Selection(parsing: "web-02")])
        #expect(try chosen(both) == ["db-01", "web-02"])
    }

    @Test(
        "has no workers for a name or for labels that no worker has",
        arguments: ["web-03", "web-01,db-1", "role=cache", "role=db,zone=b", "owner=web"]
    )
    func nobody(_ text: String) throws {
        let selection = try Selection(parsing: text)
        for selection in [selection, .any([.all, selection])] {
            let error = #expect(throws: BusError.self) { try chosen(selection) }
            #expect(error?.code == .unknownWorker)
        }
    }

    @Test(
        "offers the name or the label that was probably meant",
        arguments: [("web-3", "web-01"), ("rloe=web", "role=web")]
    )
    func guess(_ text: String, meant: String) throws {
        let error = #expect(throws: BusError.self) { try chosen(Selection(parsing: text)) }
        #expect(error?.message.contains("`\(meant)`") == true, "\(String(describing: error))")
    }
}

@Suite("The text of a selection")
struct SelectionTextTests {
    @Test(
        "has names or labels",
        arguments: [
            ("web-01", Selection.names(["web-01"])),
            ("web-01,db.eu-1", .names(["web-01", "db.eu-1"])),
            ("role=web", .labels(["role": "web"])),
            (
                "app.kubernetes.io/name=a:1.2+b@c,zone=eu/1",
                .labels(["app.kubernetes.io/name": "a:1.2+b@c", "zone": "eu/1"])
            ),
        ]
    )
    func read(_ text: String, selection: Selection) throws { #expect(try Selection(parsing: text) == selection) }

    @Test(
        "in any other form is refused",
        arguments: [
            ("", ErrorCode.badValue), (",", .badValue), ("web-01,", .badValue), ("role=web,,zone=a", .badValue),
            ("role=web,web-01", .badValue), ("web-01,role=web", .badValue), ("role=", .badValue), ("=web", .badValue),
            ("role=a=b", .badValue), ("role=a b", .badValue), ("role=web,role=db", .badValue), ("web 01", .badName),
            ("web/01", .badName), ("role=\(String(repeating: "a", count: 129))", .badValue),
        ]
    )
    func refuse(_ text: String, code: ErrorCode) {
        let error = #expect(throws: BusError.self) { try Selection(parsing: text) }
        #expect(error?.code == code)
        #expect(error?.next.isEmpty == false)
    }
}

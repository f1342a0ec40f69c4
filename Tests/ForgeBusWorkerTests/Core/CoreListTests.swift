import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A list of what the worker holds")
struct CoreListTests {
    private var harness = CoreHarness(
        pipelines: [
            HostedPipeline(
                "p",
                pipeline(Stage("work")),
                seeds: [.required("n", .integer), .optional("s", .string, default: "x")],
                outputs: ["sum"],
                slots: 1
            )
        ],
        monitors: [HostedMonitor("m", MonitorOrchestrator(), topics: ["a.>", "b"])]
    )

    private mutating func page(_ kind: ListKind, limit: Int = 100, cursor: String? = nil) throws -> Page {
        let request = ListRequest(kind: kind, limit: limit, cursor: cursor)
        let event = Event.received(Received(Request(.list(request)), from: 1))
        guard case .answer(let answer, _) = harness.effects(of: event).first, case .page(let page) = answer.content
        else { throw Missing("a page") }
        return page
    }

    @Test("has of each run its pipeline and its state, unfinished or ended")
    mutating func runs() throws {
        for id in ["a", "b", "c", "d"] { harness.run(id, seeds: ["n": 1]) }
        harness.end("run-1")
        harness.open("s", run: "run-2")
        let items = try page(.runs).items
        #expect(items.map { $0["run"]?.string } == ["run-1", "run-2", "run-3", "run-4"])
        #expect(items.map { $0["state"]?.string } == ["completed", "waiting", "running", "queued"])
        #expect(items.allSatisfy { $0["pipeline"] == "p" })
    }

    @Test("has of each signal that waits whose it is")
    mutating func signals() throws {
        harness.run(seeds: ["n": 1])
        harness.open("gate", waiter: 1)
        let waiting = GateBook.Waiting(owner: .process("ops"), kind: .signal, waiter: WaiterID(number: 2))
        harness.step(.opened(SignalOpening(signal: "plain", waiting: waiting, deadline: nil)))
        let items = try page(.signals).items
        let opened = JSONValue.integer(harness.now.unixMilliseconds)
        #expect(
            items == [
                [
                    "signal": "gate", "kind": "gate", "run": "run-1", "action": "approve", "opened_at_ms": opened,
                    "requester": "local", "you": "may_decide",
                ],
                ["signal": "plain", "kind": "signal", "process": "ops", "opened_at_ms": opened],
            ]
        )
    }

    @Test("has of each pipeline what it takes and gives, and of each monitor what it follows and does")
    mutating func definitions() throws {
        let seeds: JSONValue = [
            ["key": "n", "type": "integer", "required": true],
            ["key": "s", "type": "string", "required": false, "default": "x"],
        ]
        #expect(try page(.pipelines).items == [["pipeline": "p", "seeds": seeds, "outputs": ["sum"]]])
        #expect(
            try page(.monitors).items == [["monitor": "m", "topics": ["a.>", "b"], "state": "running", "cycles": 0]]
        )
    }

    @Test("comes page by page, each item once, in the order of the names")
    mutating func pages() throws {
        for number in 0..<7 { harness.complete(Name(unchecked: "x\(number)"), id: "c\(number)") }
        for number in 0..<7 { harness.run("r\(number)", seeds: ["n": 1]) }
        var names: [String] = []
        var cursor: String?
        var sizes: [Int] = []
        repeat {
            let page = try page(.runs, limit: 3, cursor: cursor)
            names += page.items.compactMap { $0["run"]?.string }
            sizes.append(page.items.count)
            cursor = page.cursor
        } while cursor != nil
        #expect(names == (1...7).map { "run-\($0)" })
        #expect(sizes == [3, 3, 1])
    }

    @Test("ends a page where a receiver could read no more keys, and goes on with the next")
    mutating func manyKeys() throws {
        let members = Dictionary(uniqueKeysWithValues: (1...10).map { ("v\($0)", GateRule.Member.optional(.string)) })
        for number in 1...300 {
            let waiting = GateBook.Waiting(
                owner: .process("ops"),
                kind: .gate,
                waiter: WaiterID(number: UInt64(number)),
                rule: GateRule(value: members)
            )
            harness.step(.opened(SignalOpening(signal: Name(unchecked: "g\(number)"), waiting: waiting, deadline: nil)))
        }
        var (names, cursor, pages) = (Set<String>(), String?.none, 0)
        repeat {
            let page = try page(.signals, limit: 500, cursor: cursor)
            let keys = JSONValue.array(page.items.map { .object($0) }).extent.keys
            #expect(keys <= WireLimits.jsonKeys)
            names.formUnion(page.items.compactMap { $0["signal"]?.string })
            (cursor, pages) = (page.cursor, pages + 1)
        } while cursor != nil
        #expect(names.count == 300 && pages > 2)
    }

    @Test("goes on behind its cursor, also where what stood there is gone or others came")
    mutating func moving() throws {
        for number in 1...4 {
            let waiting = GateBook.Waiting(
                owner: .process("ops"),
                kind: .signal,
                waiter: WaiterID(number: UInt64(number))
            )
            let signal = Name(unchecked: "x\(number)")
            harness.step(.opened(SignalOpening(signal: signal, waiting: waiting, deadline: nil)))
        }
        let first = try page(.signals, limit: 2)
        #expect(first.items.map { $0["signal"]?.string } == ["x1", "x2"])
        #expect(first.cursor == "x2")
        harness.complete("x2", id: "c2")
        harness.complete("x3", id: "c3")
        let second = try page(.signals, limit: 2, cursor: first.cursor)
        #expect(second.items.map { $0["signal"]?.string } == ["x4"])
        #expect(second.cursor == nil)
    }

    @Test("whose last page is full has no cursor")
    mutating func fullPage() throws {
        for number in 0..<3 { harness.run("r\(number)", seeds: ["n": 1]) }
        let page = try page(.runs, limit: 3)
        #expect(page.items.count == 3)
        #expect(page.cursor == nil)
    }
}

@Suite("The names of a page")
struct PageKeysTests {
    @Test("are the smallest behind the cursor, whatever the order in which they are offered")
    func smallest() {
        var generator = SeededGenerator(seed: 5)
        let all = (0..<200).map { Name(unchecked: "n\($0)") }
        let sorted = all.map(\.text).sorted()
        for limit in [1, 7, 199, 200, 500] {
            for cursor in [nil, "n", "n150", "n99", "z"] {
                var keys = PageKeys(after: cursor, atMost: limit)
                for name in all.shuffled(using: &generator) { keys.offer(name) }
                let rest = sorted.filter { $0 > cursor ?? "" }
                #expect(keys.page.names.map(\.text) == Array(rest.prefix(limit)))
                #expect(keys.page.cursor == (rest.count > limit ? rest[limit - 1] : nil))
            }
        }
    }
}

import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport
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

    private mutating func page(
        _ kind: ListKind,
        limit: Int = 100,
        cursor: String? = nil,
        _ filter: ListFilter = ListFilter(),
        order: ListOrder = .oldest
    ) throws -> Page {
        let request = ListRequest(kind: kind, limit: limit, cursor: cursor, filter: filter, order: order)
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
        let waiting = SignalWait(owner: .process("ops"), kind: .signal, waiter: WaiterID(number: 2))
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

    @Test("comes page by page, each item once, in the order of the acceptance")
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
            let waiting = SignalWait(
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
            let waiting = SignalWait(
                owner: .process("ops"),
                kind: .signal,
                waiter: WaiterID(number: UInt64(number))
            )
            let signal = Name(unchecked: "x\(number)")
            harness.step(.opened(SignalOpening(signal: signal, waiting: waiting, deadline: nil)))
        }
        let first = try page(.signals, limit: 2)
        #expect(first.items.map { $0["signal"]?.string } == ["x1", "x2"])
        #expect(first.cursor == "\(harness.now.unixMilliseconds) x2")
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

    @Test("has the oldest first, or the newest, and numbers in ids as numbers")
    mutating func order() throws {
        for number in 1...12 { harness.run("r\(number)", seeds: ["n": 1]) }
        let ids = (1...12).map { "run-\($0)" }
        #expect(try page(.runs).items.map { $0["run"]?.string } == ids)
        let newest = try page(.runs, limit: 5, order: .newest)
        #expect(newest.items.map { $0["run"]?.string } == ids.reversed().prefix(5).map { $0 })
        let rest = try page(.runs, cursor: newest.cursor, order: .newest)
        #expect(rest.items.map { $0["run"]?.string } == ids.reversed().dropFirst(5).map { $0 })
        harness.advance(by: .seconds(1))
        harness.run("late", seeds: ["n": 1])
        #expect(try page(.runs, limit: 1, order: .newest).items.first?["run"] == "run-13")
    }

    @Test("has only what matches all conditions")
    mutating func filters() throws {
        for id in ["a", "b", "c", "d"] { harness.run(id, seeds: ["n": 1]) }
        harness.end("run-1")
        harness.open("s", run: "run-2")
        harness.advance(by: .seconds(30))
        harness.run("e", seeds: ["n": 1])
        func runs(_ filter: ListFilter, _ kind: ListKind = .runs) throws -> [String?] {
            var harness = self
            return try harness.page(kind, filter).items.map { $0.entries.first?.value.string }
        }
        #expect(try runs(ListFilter(state: .completed)) == ["run-1"])
        #expect(try runs(ListFilter(state: .waiting)) == ["run-2"])
        #expect(try runs(ListFilter(state: .queued)) == ["run-4", "run-5"])
        #expect(try runs(ListFilter(state: .queued, olderThan: .seconds(30))) == ["run-4"])
        #expect(try runs(ListFilter(olderThan: .milliseconds(30_001))) == [])
        #expect(try runs(ListFilter(pipeline: "q")) == [])
        #expect(try runs(ListFilter(pipeline: "p", principal: "local", prefix: "run-3")) == ["run-3"])
        #expect(try runs(ListFilter(principal: "ada")) == [])
        #expect(try runs(ListFilter(pipeline: "p"), .signals) == ["s"])
        #expect(try runs(ListFilter(pipeline: "q"), .signals) == [])
        #expect(try runs(ListFilter(principal: "local", olderThan: .seconds(30)), .signals) == ["s"])
        #expect(try runs(ListFilter(olderThan: .seconds(31)), .signals) == [])
        #expect(try runs(ListFilter(prefix: "m"), .monitors) == ["m"])
        #expect(try runs(ListFilter(prefix: "n"), .monitors) == [])
    }

    @Test("says of a run where it is and why, and of a monitor why it fails and when it begins again")
    mutating func reasons() throws {
        harness.run(seeds: ["n": 1])
        harness.open("s", run: "run-1")
        let waiting = try page(.runs).items[0]
        #expect(waiting["signal"] == "s" && waiting["principal"] == "local")
        harness.end("run-1")
        #expect(try page(.runs).items[0]["ended_at_ms"] == .integer(harness.now.unixMilliseconds))
        #expect(try page(.monitors).items[0]["failures"] == nil)
        let failed = ActionReport(id: "check", result: .failed("no disk"), start: .zero, duration: .zero)
        harness.step(.cycleEnded(monitor: 0, .ran(MonitorCycle(number: 1, actions: [failed]))))
        let monitor = try page(.monitors).items[0]
        #expect(monitor["failures"] == 1 && monitor["reason"] == "check: no disk")
        #expect(monitor["failed_at_ms"] == .integer(harness.now.unixMilliseconds))
        let next = try #require(monitor["next_at_ms"]?.integer)
        #expect((500...1_000).contains(next - harness.now.unixMilliseconds))
        harness.advance(by: .seconds(1))
        harness.step(.cycleEnded(monitor: 0, .ran(MonitorCycle(number: 2, actions: []))))
        #expect(try page(.monitors).items[0]["failures"] == nil)
        guard case .recovered("m", failures: 1)? = harness.warned.last else { throw Missing("a word of the recovery") }
    }

    @Test("refuses a cursor that is from no page of its kind", arguments: ["x", "5", "x y", "5 a b", "5 ", ""])
    mutating func badCursor(_ cursor: String) throws {
        for kind in [ListKind.runs, .signals] {
            let request = Request(.list(ListRequest(kind: kind, cursor: cursor)))
            guard case .answer(let answer, _) = harness.effects(of: .received(Received(request, from: 1))).first,
                case .error(let error) = answer.content
            else { throw Missing("an error") }
            #expect(error.code == .badAttribute)
        }
    }

    @Test("looks at what its page holds, or at 5,000, however much is kept", arguments: [10_000, 200_000])
    mutating func looked(_ count: Int) throws {
        for number in 0..<count {
            let waiting = SignalWait(
                owner: .process("ops"),
                kind: .signal,
                waiter: WaiterID(number: UInt64(number + 1))
            )
            let name = Name(unchecked: "x\(number)")
            harness.step(.opened(SignalOpening(signal: name, waiting: waiting, deadline: nil)))
        }
        let first = try page(.signals, limit: 500)
        #expect(first.items.count == 500 && first.items.last?["signal"] == "x499")
        // Nothing matches: the page is empty, and goes on behind what it looked at.
        let none = try page(.signals, limit: 500, ListFilter(prefix: "y"))
        #expect(none.items.isEmpty && none.cursor?.hasSuffix(" x4999") == true)
        let last = try page(.signals, limit: 500, cursor: none.cursor, order: .newest)
        #expect(last.items.first?["signal"] == "x4998")
    }
}

@Suite("Names in the order of their times")
struct NameIndexTests {
    @Test("are those that were inserted and not removed, from any place and in both directions", arguments: 0..<20)
    func model(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var index = NameIndex()
        var model: [NameIndex.Place] = []
        for number in 0..<3_000 {
            if !model.isEmpty, generator.oneIn(3) {
                let place = model.remove(at: generator.below(model.count))
                index.remove(place.name, at: place.time)
            } else {
                let name = Name(unchecked: "n\(number)")
                let place = NameIndex.Place(
                    time: Int64(generator.below(seed.isMultiple(of: 2) ? 50 : 1_000_000)),
                    name: name
                )
                index.insert(place.name, at: place.time)
                model.insert(place, at: model.firstIndex { place.precedes($0) } ?? model.count)
            }
        }
        #expect(index.names == model.map(\.name))
        for start in model.shuffled(using: &generator).prefix(20) + [NameIndex.Place(time: 25, name: "n")] {
            for isBackwards in [false, true] {
                var found: [Name] = []
                index.scan(after: start, backwards: isBackwards) { place in
                    found.append(place.name)
                    return found.count < 700
                }
                let rest =
                    isBackwards ? model.reversed().filter { $0.precedes(start) } : model.filter { start.precedes($0) }
                #expect(found == rest.prefix(700).map(\.name))
            }
        }
    }

    @Test("count numbers in names as numbers")
    func natural() {
        let ordered: [Name] = [
            "a", "a-02", "a-2", "a-10", "a2", "a2.b", "a10", "a10.b1", "a010.b02", "a10.b02", "a10.b3", "b", "run-9-10",
            "run-10-2",
        ]
        for (i, a) in ordered.enumerated() {
            for (j, b) in ordered.enumerated() { #expect(a.precedes(b) == (i < j), "\(a) \(b)") }
        }
    }
}

@Suite("The names of a page")
struct PageKeysTests {
    @Test("are the first behind the cursor, numbers as numbers, whatever the order in which they are offered")
    func smallest() {
        var generator = SeededGenerator(seed: 5)
        let all = (0..<200).map { Name(unchecked: "n\($0)") }
        let sorted = (0..<200).map { "n\($0)" }
        for limit in [1, 7, 199, 200, 500] {
            for cursor in [nil, "n", "n150", "n99", "z"] as [Name?] {
                var keys = PageKeys(after: cursor, atMost: limit)
                for name in all.shuffled(using: &generator) { keys.offer(name) }
                let rest = sorted.filter { name in cursor?.precedes(Name(unchecked: name)) ?? true }
                #expect(keys.page.names.map(\.text) == Array(rest.prefix(limit)))
                #expect(keys.page.cursor == (rest.count > limit ? rest[limit - 1] : nil))
            }
        }
    }
}

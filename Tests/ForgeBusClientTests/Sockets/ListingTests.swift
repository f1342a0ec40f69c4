import ForgeBusClient
import ForgeBusProtocol
import Testing

@Suite("What a worker holds", .timeLimit(.minutes(30)))
struct ListingTests {
    private static func run(_ number: Int) -> JSONObject {
        [
            "run": "run-\(number)", "pipeline": "deploy", "state": "parked", "id": "r-\(number)", "accepted_at_ms": 5,
            "principal": "ada",
        ]
    }

    @Test("is read page by page, each asked for when the one before is read")
    func pages() async throws {
        try await scripted { _, request in
            guard case .list(let list) = request.command else { return [] }
            let first = list.cursor.flatMap { Int($0) } ?? 1
            let last = min(first + list.limit - 1, 7)
            let page = Page(items: (first...last).map(Self.run), cursor: last < 7 ? "\(last + 1)" : nil)
            return [.page(page)]
        } _: { worker, client async throws in
            var iterator = client.runs(pageSize: 3).makeAsyncIterator()
            var runs: [RunID] = []
            while let run = try await iterator.next() {
                runs.append(run.id)
                #expect(run.state == .parked && run.pipeline == "deploy" && run.request == "r-\(runs.count)")
                #expect(run.json == Self.run(runs.count))
                #expect(worker.requests.count == (runs.count + 2) / 3)
            }
            #expect(runs == (1...7).map { "run-\($0)" })
            #expect(try await iterator.next() == nil)
            let again = try await client.runs(pageSize: 500).reduce(0) { count, _ in count + 1 }
            #expect(again == 7)
        }
    }

    @Test("of another kind, or without what each has, is a bad answer")
    func flawed() async throws {
        try await scripted { _, _ in
            [.page(Page(items: [["signal": "s"]]))]
        } _: { _, client async throws in
            #expect(try await code { for try await _ in client.runs() {} } == .badAnswer)
        }
    }

    @Test("has its kinds, with what only a look at one tells")
    func kinds() async throws {
        let waits: JSONValue = [
            ["action": "approve", "state": "waiting", "signal": "deploy.42.approve", "deadline_at_ms": 9],
            ["action": "test", "state": "retrying", "due_at_ms": 8],
            ["action": "roll-out", "state": "parked", "reason": "exit status 9"], ["action": "x", "state": "dreaming"],
        ]
        var run = Self.run(1)
        (run["waits"], run["principal"], run["state"]) = (waits, "ada", "dreaming")
        let gate: JSONObject = [
            "signal": "deploy.42.approve", "kind": "gate", "run": "run-1", "action": "approve", "state": "waiting",
            "allowed": ["ada"],
        ]
        let decision: JSONValue = [
            "decision": "approved", "by": "ada", "at_ms": 7, "until_ms": 8, "asked": false,
        ]
        let early: JSONObject = ["signal": "s", "decisions": [decision]]
        let monitor: JSONObject = [
            "monitor": "stock", "topics": ["stock.>"], "state": "running, owed", "cycles": 3, "saw": 7,
        ]
        let seeds: JSONValue = [["key": "version", "type": "string", "required": true]]
        let pipeline: JSONObject = ["pipeline": "deploy", "seeds": seeds, "outputs": ["url"], "slots": 2]
        try await scripted { [run] _, request in
            switch request.command {
            case .show(let show):
                switch show.kind {
                case .run: [.shown(run)]
                case .signal: [.shown(gate)]
                case .monitor: [.shown(monitor)]
                case .pipeline: [.shown(pipeline)]
                case .history, .output, .worker: []
                }
            case .list(let list):
                switch list.kind {
                case .runs: [.page(Page(items: [run]))]
                case .signals: [.page(Page(items: [["signal": "s", "kind": "signal", "process": "shop"]]))]
                case .early: [.page(Page(items: [early]))]
                case .monitors: [.page(Page(items: [monitor]))]
                case .pipelines: [.page(Page(items: [pipeline]))]
                }
            default: []
            }
        } _: { _, client async throws in
            let shown = try await client.show(run: "run-1")
            #expect(shown.state == nil && shown.json["state"] == "dreaming" && shown.principal == "ada")
            let waits = shown.waits
            #expect(waits.map(\.state) == [.waiting, .retrying, .parked, nil])
            #expect(waits[0].signal == "deploy.42.approve" && waits[0].deadlineUnixMilliseconds == 9)
            #expect(waits[1].action == "test" && waits[1].dueUnixMilliseconds == 8)
            #expect(waits[2].action == "roll-out" && waits[2].reason == "exit status 9")
            #expect(waits[3].json == ["action": "x", "state": "dreaming"])
            let signal = try await client.show(signal: "deploy.42.approve")
            #expect(signal.kind == .gate && signal.state == .waiting && signal.rule?.allowed == ["ada"])
            for try await signal in client.signals() {
                #expect(signal.kind == .signal && signal.isWaiting && signal.process == "shop")
            }
            for try await early in client.earlyDecisions() {
                let decision = try #require(early.decisions.first)
                #expect(early.id == "s" && decision.decision == .approved && decision.principal == "ada")
                #expect(decision.unixMilliseconds == 7 && decision.untilUnixMilliseconds == 8 && !decision.isAsked)
            }
            let stock = try await client.show(monitor: "stock")
            #expect(stock.state == .runningOwed && stock.cycles == 3 && stock.topics == ["stock.>"])
            #expect(stock.last == nil && stock.json == monitor)
            for try await monitor in client.monitors() { #expect(monitor == stock) }
            let deploy = try await client.show(pipeline: "deploy")
            #expect(deploy.seeds.map(\.key) == ["version"] && deploy.slots == 2 && deploy.queued == nil)
            for try await pipeline in client.pipelines() { #expect(pipeline == deploy) }
        }
    }
}

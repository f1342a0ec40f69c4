import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("An ended run")
struct CoreEndedRunTests {
    private static let rule = GateRule(approvals: 2)
    private static let served = HostedPipeline(
        "p",
        pipeline(GateAction("approve", signal: "s", rule: rule), Stage("deploy", priority: .low)),
        title: "Deploy {seed.version}\nas {run.id}",
        seeds: [
            .optional("version", .string, default: nil), .optional("token", .string, default: nil, isSecret: true),
            .optional("big", .string, default: nil),
        ],
        outputs: ["out"]
    )
    private var core = RestartedCore(pipelines: [served])
    /// Who requested the run, and reads it; nil without keys.
    private var ada: AccessPolicy.Principal?

    /// Two principals, who may do everything.
    private static func policy() throws -> AccessPolicy {
        let everything = AccessPolicy.Grants(
            Dictionary(uniqueKeysWithValues: AccessPolicy.Right.own.map { ($0, .init(allow: [">"])) })
        )
        return try AccessPolicy(["ada", "bob"].map { AccessPolicy.Member($0, keys: [], grants: everything) })
    }

    /// A run waits for two votes, gets them, and ends with an output.
    private mutating func end(
        seeds: JSONObject = ["version": "7", "token": "hunter2"],
        output: JSONValue = "done",
        limits: WorkerLimits = WorkerLimits()
    ) throws {
        core = RestartedCore(pipelines: [Self.served], access: try Self.policy(), limits: limits)
        ada = AccessPolicy.Principal("ada")
        core.send(.run(RunRequest(pipeline: "p", seeds: seeds)), id: "a", as: ada)
        core.asked("run-1", "approve", "deploy")
        core.rest(.gate("s", rule: Self.rule, deadline: nil, message: "Deploy 7?"))
        for (name, value) in [("ada", #""now""#), ("bob", "")] {
            let vote = Decision(signal: "s", outcome: .approved(value: Array(value.utf8)))
            core.send(.decide(vote), as: AccessPolicy.Principal(name))
        }
        core.decide(.runEnded("run-1", .test(), outputs: ["out": output], flaw: nil))
    }

    /// What SHOW tells of the run, with what the store has of it, or with nothing.
    private mutating func shown(keepingTexts: Bool = true) throws -> JSONObject {
        let request = Request(.show(ShowRequest(.run, "run-1")), id: try RequestID("show"))
        var consequences = Consequences()
        var worker = core.core
        worker.decide(.received(Received(request, from: 3, as: ada)), at: core.now, into: &consequences)
        guard case .lookUp(let query)? = consequences.effects.first, case .run(let complete) = query.content else {
            guard case .answer(let answer, _)? = consequences.effects.first, case .shown(let item) = answer.content
            else { throw Missing("an answer") }
            return item
        }
        guard keepingTexts, case .texts(let texts) = core.kept[.texts("run-1")] else { return complete(nil) }
        return complete(texts)
    }

    @Test("is told with its outputs, its seeds but the secret ones, the question and every vote", arguments: [0, 1])
    mutating func texts(restarts: Int) throws {
        try end()
        for _ in 0..<restarts { core.restart(isReady: true) }
        let item = try shown()
        #expect(item["state"] == "completed" && item["outputs"] == ["out": "done"])
        #expect(item["seeds"] == ["version": "7"])
        #expect(item["kept"] == nil && item["truncated"] == nil)
        let signal = try #require(item["signals"]?.array?.first?.object)
        #expect(signal["message"] == "Deploy 7?" && signal["action"] == "approve" && signal["state"] == "approved")
        let votes = try #require(signal["votes"]?.array?.map(\.object))
        #expect(votes.map { $0?["by"] } == ["ada", "bob"] && votes.first??["value"] == "now")
    }

    @Test("has the title of its seeds as one line, at its gate too, over a restart and once it is over")
    mutating func title() throws {
        core.run("a", seeds: ["version": "7"])
        core.asked("run-1", "approve", "deploy")
        core.rest(.gate("s", rule: .anybody, deadline: nil, message: "?"))
        for _ in 0..<2 {
            for shown in [ShowRequest(.run, "run-1"), ShowRequest(.signal, "s")] {
                let lines = core.send(.show(shown))
                #expect(lines.last?.contains(#""title":"Deploy 7 as run-1""#) == true, "\(lines)")
            }
            core.restart(isReady: true)
        }
        core.decide(.runEnded("run-1", .test(), outputs: [:], flaw: nil))
        #expect(try shown()["title"] == "Deploy 7 as run-1")
        core.restart(isReady: true)
        #expect(try shown()["title"] == "Deploy 7 as run-1")
    }

    @Test("has a title of no more than 256 bytes, however long its seeds are")
    mutating func longTitle() throws {
        try end(seeds: ["version": .string(String(repeating: "é", count: 400))])
        let title = try #require(try shown()["title"]?.string)
        #expect((250...256).contains(title.utf8.count))
    }

    @Test("keeps no secret in the store once it is over")
    mutating func secrets() throws {
        try end()
        for record in core.kept.values {
            #expect(!String(decoding: record.encoded, as: UTF8.self).contains("hunter2"), "\(record.key)")
        }
    }

    @Test("says so where a store in memory has dropped what it kept of it")
    mutating func dropped() throws {
        try end()
        let item = try shown(keepingTexts: false)
        #expect(item["kept"] == false && item["seeds"] == nil && item["signals"] == nil)
        #expect(item["outputs"] == ["out": "done"])
    }

    @Test("leaves no texts behind when it is forgotten")
    mutating func forgotten() throws {
        try end()
        #expect(core.kept[.texts("run-1")] != nil)
        core.advance(by: .seconds(8_000))
        #expect(core.kept.isEmpty, "\(core.kept.keys)")
    }

    @Test("without seeds and signals has no texts, and is told at once")
    mutating func bare() throws {
        core.run("a")
        core.decide(.runEnded("run-1", .test(), outputs: ["out": 1], flaw: nil))
        #expect(core.kept[.texts("run-1")] == nil)
        let lines = core.send(.show(ShowRequest(.run, "run-1")))
        #expect(lines.count == 1 && lines.first?.contains(#""outputs":{"out":1}"#) == true, "\(lines)")
        #expect(lines.first?.contains("kept") == false)
    }

    @Test("is told without its outputs where one message cannot hold both, and says so")
    mutating func tooLarge() throws {
        try end(
            seeds: ["big": .string(String(repeating: "x", count: 60_000))],
            output: .string(String(repeating: "y", count: 880_000))
        )
        let item = try shown()
        #expect(item["truncated"] == true && item["outputs"] == nil)
        #expect(item["seeds"]?.object?["big"]?.string?.utf8.count == 60_000)
        #expect(JSONValue.object(item).encoded.count < WireLimits.frameSizeInBytes)
    }

    @Test("is told however many histories are being read, and takes no more room than its result")
    mutating func neverBusy() throws {
        var limits = WorkerLimits()
        limits.histories = 0
        try end(limits: limits)
        #expect(try shown()["seeds"] != nil)
        #expect(core.core.bounds.resultsSize == core.core.ended["run-1"]?.result.footprint)
    }

    @Test("that has not ended is told with the signals that have")
    mutating func unfinished() throws {
        core.run("a", seeds: ["version": "7"])
        core.asked("run-1", "approve", "deploy")
        core.rest(.gate("s", rule: .anybody, deadline: nil, message: "Deploy 7?"))
        core.complete("s")
        let item = try shown()
        #expect(item["seeds"] == ["version": "7"])
        #expect(item["signals"]?.array?.first?.object?["state"] == "approved")
    }

    @Test("in a store in memory loses the oldest texts first, within the bound")
    func bounded() async throws {
        let store = MemoryStore(textsCapacityInBytes: 40_000)
        for number in 1...100 {
            let run = Name(unchecked: "run-\(number)")
            let texts = RunTexts(run: run, members: ["seeds": ["s": .string(String(repeating: "x", count: 1_000))]])
            await withCheckedContinuation { done in
                store.commit([.put(.texts(texts))]) { _ in done.resume() }
            }
        }
        var kept: [Int] = []
        for number in 1...100 where try await store.texts(of: Name(unchecked: "run-\(number)")) != nil {
            kept.append(number)
        }
        #expect(kept == Array((101 - kept.count)...100) && (20...32).contains(kept.count), "\(kept.count)")
    }
}

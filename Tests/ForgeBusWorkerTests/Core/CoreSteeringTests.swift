import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing
import ZeroMQ

@testable import ForgeBusWorker

private let parking = ActionPolicy(onFailure: .park)
private let served = [
    HostedPipeline("p", pipeline(Stage("work")), slots: 9, policies: ["work": parking]),
    HostedPipeline("q", pipeline(Stage("work")), slots: 9, policies: ["work": parking]),
]

@Suite("A request about many runs")
struct CoreSteeringTests {
    private var core = RestartedCore(pipelines: served)

    /// Four runs: two of `p` and one of `q` are parked, one of `p` executes.
    init() {
        for (id, pipeline) in [("a", "p"), ("b", "p"), ("c", "q"), ("d", "p")] as [(String, Name)] {
            core.send(.run(RunRequest(pipeline: pipeline)), id: id)
        }
        for run in ["run-1", "run-2", "run-3"] as [Name] {
            core.asked(run, "work")
            core.rest(.failed(reason: "exit status 9"), run, waiter: UInt64(core.journal.count))
        }
        core.asked("run-4", "work")
    }

    private mutating func redrive(_ filter: RunFilter, _ count: Int, id: String = "m") -> [String] {
        core.send(.steer(SteeringRequest(.redrive, filter, expecting: count)), id: id)
    }

    private mutating func cancel(_ filter: RunFilter, _ count: Int, id: String = "m") -> [String] {
        core.send(.steer(SteeringRequest(.cancel(reason: "gone"), filter, expecting: count)), id: id)
    }

    private var details: JSONObject {
        switch core.answers.last?.content {
        case .error(let error): error.details
        case .ok(let report): report.details
        default: [:]
        }
    }

    @Test("redrives all parked runs that match, with one answer and an entry in the history of each")
    mutating func redriven() {
        let lines = redrive(RunFilter(pipeline: "p"), 2).filter { !$0.hasSuffix("redriven work") }
        #expect(lines == ["go on with run-1 at work, proceed", "go on with run-2 at work, proceed", "1<m ok done"])
        #expect(details["count"] == 2)
        for run in ["run-1", "run-2"] as [Name] { #expect(core.events(of: run).last == "redriven") }
        #expect(core.journal.last?.event == "redriven_many")
        #expect(core.core.runs["run-3"]?.standing == .parked)
        #expect(redrive(RunFilter(pipeline: "p"), 2) == ["1<m ok done again"])
        #expect(core.core.runs["run-1"]?.standing == .running)
    }

    @Test("changes nothing if another number matches, and says which")
    mutating func differs() {
        let kept = core.kept
        #expect(redrive(RunFilter(pipeline: "p"), 3) == ["1<m error count_differs"])
        #expect(details["count"] == "2")
        #expect(cancel(RunFilter(state: .parked), 2) == ["1<m error count_differs"])
        #expect(details["count"] == "3")
        #expect(cancel(RunFilter(pipeline: "p"), 0) == ["1<m error count_differs"], "the number 0 only asks")
        #expect(details["count"] == "3")
        #expect(core.kept == kept)
        #expect(redrive(RunFilter(pipeline: "p"), 2).last == "1<m ok done", "a refusal leaves no trace")
    }

    @Test("cancels each run that matches all filters")
    mutating func cancelled() {
        #expect(cancel(RunFilter(state: .running, pipeline: "q"), 0, id: "n") == ["1<n ok done"])
        let lines = cancel(RunFilter(state: .parked, principal: "local", prefix: "run-"), 3)
        #expect(lines.last == "1<m ok done")
        #expect(core.core.runs.unfinished.filter { !$0.isStopping }.map(\.id) == ["run-4"])
        #expect(core.events(of: "run-3").last == "cancelled")
    }

    @Test("matches by the time since the acceptance")
    mutating func age() {
        core.advance(by: .seconds(10))
        core.run("e")
        #expect(cancel(RunFilter(pipeline: "p", olderThan: .seconds(10)), 3).last == "1<m ok done")
        #expect(core.core.runs.unfinished.count { !$0.isStopping } == 2)
    }

    @Test("of runs whose pipeline is gone is refused as a whole, and names the first run")
    mutating func gone() throws {
        core.restart(pipelines: [served[0]], isReady: true)
        let kept = core.kept
        #expect(redrive(RunFilter(state: .parked), 3) == ["1<m error unknown_pipeline"])
        guard case .error(let error) = try #require(core.answers.last).content else { return }
        #expect(error.message.contains("run-3"))
        #expect(core.kept == kept)
        #expect(cancel(RunFilter(pipeline: "q"), 1).last == "1<m ok done")
    }

    @Test("is another request under the same id with another filter or number")
    mutating func content() {
        #expect(redrive(RunFilter(pipeline: "q"), 1).last == "1<m ok done")
        #expect(redrive(RunFilter(pipeline: "p"), 1) == ["1<m error id_conflict"])
        #expect(redrive(RunFilter(pipeline: "q"), 2) == ["1<m error id_conflict"])
        #expect(cancel(RunFilter(pipeline: "q"), 1) == ["1<m error id_conflict"])
    }
}

@Suite("A request about many runs with keys")
struct CoreSteeringAccessTests {
    private let keys = (ada: KeyPair().publicKey, bob: KeyPair().publicKey, eve: KeyPair().publicKey)

    private func harness() throws -> CoreHarness {
        func grants(_ cancel: [NamePattern]) -> AccessPolicy.Grants {
            AccessPolicy.Grants([.run: .init(allow: [">"]), .cancel: .init(allow: cancel)])
        }
        let policy = try AccessPolicy([
            .init("ada", keys: [keys.ada], grants: grants(["p"])), .init("bob", keys: [keys.bob], grants: grants([])),
            .init("eve", keys: [keys.eve], grants: AccessPolicy.Grants()),
        ])
        return CoreHarness(pipelines: served, access: policy)
    }

    private func send(_ command: Request.Command, _ id: String, as key: PublicKey, _ harness: inout CoreHarness) throws
        -> [String]
    {
        let principal = try #require(harness.core.access.principal(forKey: key))
        return harness.step(.received(Received(Request(command, id: try RequestID(id)), from: 1, as: principal)))
    }

    @Test("counts only the runs that its sender may cancel: its own, and those of granted pipelines")
    func counted() throws {
        var harness = try harness()
        for (id, pipeline, key) in [("a", "p", keys.bob), ("b", "q", keys.bob), ("c", "q", keys.ada)]
            as [(String, Name, PublicKey)]
        {
            _ = try send(.run(RunRequest(pipeline: pipeline)), id, as: key, &harness)
        }
        func cancel(_ count: Int, as key: PublicKey) throws -> String? {
            let request = SteeringRequest(.cancel(reason: ""), RunFilter(state: .running), expecting: count)
            return try send(.steer(request), "m\(count)", as: key, &harness).last
        }
        #expect(try cancel(1, as: keys.eve) == "1<m1 error count_differs", "what others have is not told")
        #expect(try cancel(3, as: keys.bob) == "1<m3 error count_differs")
        #expect(try cancel(2, as: keys.ada) == "1<m2 ok done")
        #expect(harness.core.runs["run-2"]?.isStopping == false)
        #expect(harness.audited.last?.event == .cancelledMany(2, filter: #"{"state":"running"}"#))
        #expect(try cancel(1, as: keys.bob) == "1<m1 ok done")
        #expect(harness.core.runs["run-2"]?.isStopping == true)
    }
}

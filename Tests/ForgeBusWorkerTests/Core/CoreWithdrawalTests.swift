import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Scorecard
import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("An early decision that is asked for", .scorecard(24))
struct CoreWithdrawalTests {
    private static let gate = GateAction("approve", signal: "deploy.{seed.version}.approve")
    private static let pipelines = [
        HostedPipeline("p", pipeline(Stage("work"), gate), seeds: [.optional("version", .string, default: "1")])
    ]
    private var core = RestartedCore(pipelines: pipelines)
    private let signal: Name = "deploy.42.approve"

    private mutating func decide(keep: Duration?, id: String) -> [String] {
        core.send(.decide(Decision(signal: signal, outcome: .approved(value: []), keep: keep)), id: id)
    }

    private mutating func withdraw(id: String) -> [String] {
        core.send(.withdraw(WithdrawRequest(signal: signal)), id: id)
    }

    private mutating func early() throws -> [JSONObject] {
        core.send(.list(ListRequest(kind: .early)))
        guard case .page(let page) = core.answers.last?.content else { throw Missing("a page") }
        return page.items
    }

    @Test("is kept and listed; one that is not asked for is unknown, and the same message gets that again")
    mutating func listed() throws {
        #expect(decide(keep: nil, id: "a") == ["1<a unknown"])
        #expect(try early().isEmpty)
        #expect(decide(keep: .seconds(100), id: "b") == ["1<b buffered"])
        #expect(try early().map { $0["signal"] } == ["deploy.42.approve"])
        #expect(try early().first?["decisions"]?.array?.first?.object?["asked"] == true)
        core.restart(after: .seconds(1), isReady: true)
        #expect(decide(keep: nil, id: "a") == ["1<a unknown again"])
        #expect(try early().map { $0["signal"] } == ["deploy.42.approve"])
    }

    @Test("is taken back once; its message then repeats its verdict and casts nothing, also after a restart")
    mutating func withdrawn() throws {
        #expect(decide(keep: .seconds(100), id: "b") == ["1<b buffered"])
        #expect(withdraw(id: "w") == ["1<w ok withdrawn"])
        #expect(try early().isEmpty && !core.kept.keys.contains(.signal(signal)))
        #expect(withdraw(id: "w") == ["1<w ok withdrawn again"])
        #expect(withdraw(id: "x") == ["1<x ok nothing"])
        core.restart(after: .seconds(1), isReady: true)
        #expect(decide(keep: .seconds(100), id: "b") == ["1<b buffered again"])
        #expect(withdraw(id: "w") == ["1<w ok withdrawn again"])
        #expect(try early().isEmpty)
    }

    @Test("is named in the history of the run whose gate uses it; one that cannot decide is named, too")
    mutating func history() throws {
        _ = decide(keep: .seconds(100), id: "b")
        core.run("a")
        #expect(open("run-1").contains("resume 1 approved null"))
        let used = try #require(core.journal.first { $0.event == "decided_early" })
        #expect(used.run == "run-1" && used.signal == signal && used.principal == "local")
        #expect(used.details["decision"] == "approved" && used.details["place"] == 0)

        core.send(.decide(Decision(signal: "other", outcome: .approved(value: []))), id: "c")
        #expect(open("run-1", "other", waiter: 2).contains("resume 2 registered"))
        let dropped = try #require(core.journal.first { $0.event == "early_unused" })
        #expect(dropped.signal == "other" && dropped.details["why"] != nil)
    }

    private mutating func open(_ run: Name, _ signal: Name? = nil, waiter: UInt64 = 1) -> [String] {
        let owner = SignalOwner.action(run, signal == nil ? "approve" : "work")
        let waiting = SignalWait(owner: owner, kind: .gate, waiter: WaiterID(number: waiter))
        return core.decide(.opened(SignalOpening(signal: signal ?? self.signal, waiting: waiting, deadline: nil)))
    }
}

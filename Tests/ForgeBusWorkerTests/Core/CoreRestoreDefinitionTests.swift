import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

private func served(
    test: HostedPipeline.Revision = "1",
    roll: HostedPipeline.Revision = "1",
    signal: SignalTemplate = "s",
    rule: GateRule = .anybody
) -> [HostedPipeline] {
    let gate = GateAction("approve", signal: signal, requires: ["test"], rule: rule) { _ in true }
    return [
        HostedPipeline(
            "p",
            pipeline(Stage("test"), gate, Stage("roll", requires: ["approve"])),
            slots: 1,
            policies: ["roll": ActionPolicy(onFailure: .park)],
            revisions: ["test": test, "approve": "1", "roll": roll]
        )
    ]
}

private let slower = HostedPipeline.Revision(work: "1", handling: "timeout 5 s")

@Suite("A run that waits at a gate while its pipeline changes")
struct CoreRestoreDefinitionTests {
    private var core = RestartedCore(pipelines: served(), access: .local)

    init() {
        core.run("a")
        core.asked("run-1", "test", "approve", "roll")
        core.completed("test")
        core.restAtGate("s")
    }

    private var standing: StateReport.State? { core.core.runs["run-1"]?.standing }

    @Test("goes on after its approval if only a finished action got another time limit")
    mutating func behind() {
        core.restart(pipelines: served(test: slower), isReady: true)
        #expect(standing == .waiting)
        #expect(core.complete("s", 7, id: "d").last == "go on with run-1 at approve, approved 7")
        #expect(core.answers.compactMap(\.verdict).last?.parkingReason == nil)
        #expect(!core.events().contains("parked"))
    }

    @Test("is parked if an action ahead changed; its approval says so and is not lost")
    mutating func ahead() throws {
        core.restart(pipelines: served(roll: "2"), isReady: true)
        let reason = DefinitionChange.changed("roll").reason(of: "p")
        #expect(standing == .parked)
        #expect(core.progress()?.state == .parked(reason: reason, remaining: nil))
        #expect(core.complete("s", 7, id: "d").first == "1<d delivered")
        #expect(core.answers.compactMap(\.verdict).last?.parkingReason == reason)
        core.restart(isReady: true)
        #expect(core.complete("s", 7, id: "d") == ["1<d delivered again"])
        #expect(core.answers.compactMap(\.verdict).last?.parkingReason == reason, "the answer is stored")
        let lines = core.send(.redrive(RedriveRequest(run: "run-1")), id: "r")
        #expect(lines == ["go on with run-1 at approve, approved 7", "1<r ok running run-1"])
        core.restart(isReady: true)
        #expect(standing == .running, "it was redriven under the new definition")
    }

    @Test("is parked if the gate has another id")
    mutating func renamed() {
        core.restart(pipelines: served(signal: "t"), isReady: true)
        #expect(standing == .parked)
        #expect(core.core.runs["run-1"]?.parkingReason?.hasSuffix("the action \"approve\" changed.") == true)
    }

    @Test("takes the gate's new rule, which decides nothing by itself, and its history says so")
    mutating func rule() throws {
        core.restart(pipelines: served(rule: GateRule(allowed: ["bob"])), isReady: true)
        #expect(standing == .waiting)
        let entry = try #require(core.journal.last { $0.event == "rule_changed" })
        #expect((entry.run, entry.signal) == ("run-1", "s"))
        #expect(entry.details["allowed"] == ["bob"] && entry.details["requester_may_decide"] == true)
        #expect(core.complete("s", 7, id: "d") == ["1<d forbidden"], "without keys nobody is bob")
        core.restart(isReady: true)
        #expect(core.events().count { $0 == "rule_changed" } == 1)
        let grants = AccessPolicy.Grants([.complete: AccessPolicy.Grant(allow: [">"])])
        let members = (["ada", "bob"] as [Name]).map { AccessPolicy.Member($0, keys: [], grants: grants) }
        core.decide(.accessReplaced(try AccessPolicy(members), by: "test"))
        #expect(core.send(.decide(approval), as: AccessPolicy.Principal("ada")).first?.hasSuffix("forbidden") == true)
        #expect(core.send(.decide(approval), as: AccessPolicy.Principal("bob")).first?.hasSuffix("delivered") == true)
    }

    @Test("takes the gate's new rule also while it is parked")
    mutating func ruleOfParked() {
        core.restart(pipelines: served(roll: "2", rule: GateRule(allowed: ["bob"])), isReady: true)
        #expect(standing == .parked)
        #expect(core.complete("s", 7, id: "d") == ["1<d forbidden"])
    }

    private var approval: Decision { Decision(signal: "s", outcome: .approved(value: [])) }

    @Test("begins again only under the definition that it knows, if a value of it could not be kept")
    mutating func begunAgain() {
        core.completed("test", leaving: RunValues(unkept: "handle"))
        core.restart(pipelines: served(test: slower), isReady: true)
        #expect(standing == .parked, "all of its actions are ahead of it again")
    }

    @Test("keeps the reason for which it was parked first, and adds each later one once")
    mutating func reasons() {
        core.complete("s", 7)
        core.completed("approve")
        core.rest(.failed(reason: "exit status 9"))
        core.restart(pipelines: served(roll: "2"), isReady: true)
        let both = "exit status 9".asParkingReason(andSince: DefinitionChange.changed("roll").reason(of: "p"))
        #expect(core.progress()?.state == .parked(reason: both, remaining: nil))
        let entries = core.journal.count
        core.restart(isReady: true)
        #expect(core.progress()?.state == .parked(reason: both, remaining: nil))
        #expect(core.journal.count == entries, "nothing happened")
        core.restart(pipelines: served(), isReady: true)
        #expect(core.progress()?.state == .parked(reason: both, remaining: nil))
    }
}

@Suite("What a worker would park at its start")
struct ForetoldParkingTests {
    private var core = RestartedCore(pipelines: served())

    @Test("is what it parks, with the same words, and nothing that is parked already")
    mutating func foretold() {
        for id in ["a", "b", "c"] { core.run(id) }
        core.asked("run-1", "test", "approve", "roll")
        core.completed("test")
        core.restAtGate("s")
        let records = Array(core.kept.values)
        #expect(ForetoldParking.all(in: records, under: served()).isEmpty)
        // The runs that have not begun have everything ahead of them.
        let slow = ForetoldParking.all(in: records, under: served(test: slower))
        #expect(slow.map(\.run) == ["run-2", "run-3"])
        let other = served(roll: "2")
        let all = ForetoldParking.all(in: records, under: other)
        #expect(all.map(\.run) == ["run-1", "run-2", "run-3"])
        #expect(all.first?.change == "the action \"roll\" changed")
        #expect(ForetoldParking.all(in: records, under: []).first?.change == "the worker no longer serves the pipeline")
        core.restart(pipelines: other, isReady: true)
        #expect(core.core.runs.unfinished.allSatisfy { $0.standing == .parked })
        #expect(ForetoldParking.all(in: Array(core.kept.values), under: other).isEmpty)
    }
}

extension Answer {
    fileprivate var verdict: VerdictReport? { if case .verdict(let report) = content { report } else { nil } }
}

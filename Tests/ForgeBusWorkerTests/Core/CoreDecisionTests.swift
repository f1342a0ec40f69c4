import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A decision")
struct CoreDecisionTests {
    private var harness = CoreHarness(pipelines: [HostedPipeline("p", pipeline(Stage("work")))])

    @Test("sent again gets its first verdict, whatever became of the signal since")
    mutating func replay() {
        #expect(harness.complete("s", 1, id: "d") == ["2<d buffered"])
        harness.run("a")
        harness.open("s")
        #expect(harness.complete("s", 1, id: "d", from: 5) == ["5<d buffered again"])
        #expect(harness.complete("s", 1, id: "e") == ["2<e duplicate"])
    }

    @Test("with other content under the same id is a conflict of ids and decides nothing")
    mutating func idConflict() {
        harness.run("a")
        harness.open("s")
        #expect(harness.complete("t", id: "d") == ["2<d buffered"])
        #expect(harness.complete("s", id: "d") == ["2<d error id_conflict"])
        #expect(harness.core.signals.waiting.count == 1)
    }

    @Test("that a plain signal refuses leaves no trace")
    mutating func notRejectable() {
        harness.run("a")
        harness.open("s", kind: .signal)
        let before = harness.keptCount
        #expect(harness.reject("s", id: "d") == ["2<d error not_rejectable"])
        #expect(harness.keptCount == before)
        #expect(harness.complete("s", id: "d").first == "2<d delivered")
    }

    @Test("that came early is forgotten when it is kept no longer, in the store too")
    mutating func earlyExpiry() throws {
        let decision = Decision(signal: "s", outcome: .approved(value: []), keep: .seconds(5))
        #expect(harness.send(.decide(decision), id: "d") == ["1<d buffered"])
        #expect(harness.kept[.signal("s")] != nil)
        harness.advance(by: .seconds(5))
        #expect(harness.kept[.signal("s")] == nil)
        #expect(harness.kept.keys.contains(.request(RequestKey(principal: "local", id: try RequestID("d")))))
        harness.advance(by: .seconds(55))
        #expect(harness.keptCount == 0)
    }

    @Test("that is kept no longer leaves those of others in the store")
    mutating func earlyExpiryBesideOthers() throws {
        let own = Decision(signal: "s", outcome: .approved(value: []), keep: .seconds(5))
        let rejection = Decision(signal: "s", outcome: .rejected(reason: "no"), keep: .seconds(60))
        let other = Request(.decide(rejection), id: try RequestID("e"))
        harness.send(.decide(own), id: "d")
        harness.step(.received(Received(other, from: 2, as: AccessPolicy.Principal("bob"))))
        let sent = harness.now.unixMilliseconds
        harness.advance(by: .seconds(5))
        let left = SignalRecord.Early(
            principal: "bob",
            via: nil,
            outcome: .rejected(reason: "no"),
            unixMilliseconds: sent,
            until: sent + 60_000,
            isAsked: true
        )
        #expect(harness.kept[.signal("s")] == .signal(SignalRecord(signal: "s", state: .early([left]))))
    }

    @Test("is not to be kept and finds nobody: unknown")
    mutating func unknown() {
        let decision = Decision(signal: "s", outcome: .approved(value: []), keep: .zero)
        #expect(harness.send(.decide(decision), id: "d") == ["1<d unknown"])
        harness.run("a")
        #expect(harness.open("s").first == "resume 1 registered")
    }

    @Test("for a signal outside any run resumes it")
    mutating func process() {
        let waiting = SignalWait(owner: .process("ops"), kind: .gate, waiter: WaiterID(number: 1))
        let opening = SignalOpening(signal: "s", waiting: waiting, deadline: nil)
        #expect(harness.step(.opened(opening)) == ["resume 1 registered"])
        #expect(harness.complete("s", "go", id: "d") == ["2<d delivered", #"resume 1 approved "go""#])
    }
}

import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("What an earlier worker knew of a signal")
struct CoreRestoreSignalTests {
    private var core = RestartedCore(pipelines: [HostedPipeline("p", pipeline(Stage("work")))])

    @discardableResult
    private mutating func open(_ owner: SignalOwner, waiter: UInt64, kind: SignalKind = .gate) -> [String] {
        let waiting = SignalWait(owner: owner, kind: kind, waiter: WaiterID(number: waiter))
        return core.decide(.opened(SignalOpening(signal: "s", waiting: waiting, deadline: nil)))
    }

    @Test("is a decision that came early, which meets whoever opens the signal")
    mutating func early() {
        core.complete("s", 7)
        core.restart(after: .seconds(3600), isReady: true)
        #expect(core.complete("s", 7, id: "d") == ["1<d duplicate"])
        core.run("a")
        #expect(open(.action("run1-1", "work"), waiter: 1) == ["resume 1 approved 7"])
    }

    @Test("is a decision that came early only as long as it was to be kept")
    mutating func earlyEnd() {
        let kept = Decision(signal: "s", outcome: .approved(value: []), keep: .seconds(100))
        core.send(.decide(kept))
        core.restart(after: .seconds(40), isReady: true)
        core.advance(by: .milliseconds(59_999))
        #expect(core.kept.keys.contains(.signal("s")))
        core.advance(by: .milliseconds(1))
        #expect(!core.kept.keys.contains(.signal("s")))
        core.send(.decide(kept))
        core.restart(after: .seconds(100))
        #expect(!core.kept.keys.contains(.signal("s")), "it passed meanwhile")
    }

    @Test("is how it ended, for what is left of its retention")
    mutating func settled() {
        core.run("a")
        open(.action("run-1", "work"), waiter: 1)
        core.complete("s", 7)
        core.end()
        core.restart(after: .seconds(1000), isReady: true)
        #expect(core.complete("s", 7, id: "d") == ["1<d duplicate"])
        #expect(core.complete("s", 8, id: "e") == ["1<e conflict"])
        core.advance(by: .milliseconds(2_599_999))
        #expect(core.kept.keys.contains(.signal("s")))
        core.advance(by: .milliseconds(1))
        #expect(!core.kept.keys.contains(.signal("s")))
        #expect(core.complete("s", 8, id: "f") == ["1<f buffered"])
    }

    @Test("is that a process announced it: the next one may announce it again, and nobody beside it")
    mutating func announced() {
        #expect(open(.process("signal 1"), waiter: 1, kind: .signal) == ["resume 1 registered"])
        #expect(open(.process("signal 2"), waiter: 2, kind: .signal) == ["resume 2 refused id_taken"])
        core.restart(isReady: true)
        #expect(open(.process("signal 1"), waiter: 3, kind: .signal).last == "resume 3 registered")
        #expect(open(.process("signal 2"), waiter: 4, kind: .signal) == ["resume 4 refused id_taken"])
        #expect(core.complete("s", 7, id: "d") == ["1<d delivered", "resume 3 approved null"])
    }

    @Test("is that it was announced and completed: whoever announces it again learns that at once")
    mutating func completed() {
        open(.process("signal 1"), waiter: 1, kind: .signal)
        core.restart()
        #expect(core.complete("s", 7, id: "d").first == "1<d delivered", "before anybody has announced it again")
        core.decide(.ready)
        #expect(open(.process("signal 9"), waiter: 2, kind: .signal) == ["resume 2 approved null"])
    }

    @Test("is that it was announced and completed, even where what was sent had to make room")
    mutating func completedAtLength() {
        var limits = WorkerLimits()
        limits.decidedSizeInBytes = 10
        core = RestartedCore(limits: limits)
        open(.process("signal 1"), waiter: 1, kind: .signal)
        core.complete("s", .string(String(repeating: "x", count: 100)))
        core.restart(isReady: true)
        #expect(open(.process("signal 1"), waiter: 2, kind: .signal) == ["resume 2 approved null"])
    }

    @Test("is that it was announced, until nobody has announced it again for the retention")
    mutating func abandoned() {
        open(.process("signal 1"), waiter: 1, kind: .signal)
        core.restart(isReady: true)
        core.advance(by: .seconds(3000))
        // The time of one worker after another counts, and that between them.
        core.restart(after: .milliseconds(599_999), isReady: true)
        #expect(core.core.signals.waiting.count == 1)
        core.advance(by: .milliseconds(1))
        #expect(core.core.signals.waiting.count == 0)
        #expect(!core.kept.keys.contains(.signal("s")))
        let reasons = core.journal.compactMap { $0.details["why"]?.string }
        let why =
            Errors.notAnnouncedAgain(within: .seconds(3600))
        #expect(reasons == [why])
        #expect(core.complete("s", 7, id: "d") == ["1<d buffered"], "as if nobody had ever announced it")
        #expect(open(.process("signal 2"), waiter: 2, kind: .signal) == ["resume 2 approved null"])
    }

    @Test("is that it was announced, without an end once it is announced again")
    mutating func announcedForGood() {
        open(.process("signal 1"), waiter: 1, kind: .signal)
        core.restart(isReady: true)
        open(.process("signal 1"), waiter: 2, kind: .signal)
        core.advance(by: .seconds(1_000_000))
        #expect(core.complete("s", 7, id: "d") == ["1<d delivered", "resume 2 approved null"])
    }

    @Test("is that it was announced, which is forgotten before anything is taken where the retention is over")
    mutating func abandonedMeanwhile() {
        open(.process("signal 1"), waiter: 1, kind: .signal)
        core.restart()
        core.restart(after: .seconds(3600))
        #expect(core.kept.isEmpty)
    }

    @Test("is that it was announced, no longer than the retention, whatever becomes of the clock")
    mutating func clockSetBack() {
        open(.process("signal 1"), waiter: 1, kind: .signal)
        core.restart()
        core.restart(after: .seconds(-100_000), isReady: true)
        core.advance(by: .seconds(3600))
        #expect(core.kept.isEmpty)
    }

    @Test("is that a run waits for it, for as long as the run takes")
    mutating func runs() {
        core.run("a")
        open(.action("run-1", "work"), waiter: 1, kind: .signal)
        core.restart()
        core.advance(by: .seconds(1_000_000))
        #expect(core.core.signals.waiting.count == 1)
    }

    @Test("is when a gate expires, which says nothing of a plain signal that takes its place")
    mutating func kindChanged() {
        let gate = SignalWait(owner: .process("x"), kind: .gate, waiter: WaiterID(number: 1))
        core.decide(.opened(SignalOpening(signal: "s", waiting: gate, deadline: .seconds(5))))
        core.restart(isReady: true)
        open(.process("x"), waiter: 2, kind: .signal)
        core.advance(by: .seconds(1_000_000))
        #expect(core.complete("s", 7, id: "d") == ["1<d delivered", "resume 2 approved null"])
    }

    @Test("is a gate that a process opened, which waits for ever where it has no deadline")
    mutating func openGate() {
        open(.process("mine"), waiter: 1)
        core.restart(isReady: true)
        core.advance(by: .seconds(1_000_000))
        #expect(open(.process("mine"), waiter: 2).last == "resume 2 registered")
    }

    @Test("is that it is no gate, and a gate's, that it is no plain signal")
    mutating func kinds() {
        open(.process("signal 1"), waiter: 1, kind: .signal)
        core.restart(isReady: true)
        let no = Decision(signal: "s", outcome: .rejected(reason: "no"))
        #expect(core.send(.decide(no), id: "d") == ["1<d error not_rejectable"])
        #expect(open(.process("mine"), waiter: 2) == ["resume 2 refused id_taken"])
    }

    @Test("is who may not decide it")
    mutating func rule() throws {
        let all = AccessPolicy.Grant(allow: [">"])
        let members = ["ada", "bob"].map {
            AccessPolicy.Member($0, keys: [], grants: AccessPolicy.Grants([.complete: all]))
        }
        core = RestartedCore(access: try AccessPolicy(members))
        let rule = GateRule(allowed: ["bob"])
        let waiting = SignalWait(owner: .process("x"), kind: .gate, waiter: WaiterID(number: 1), rule: rule)
        core.decide(.opened(SignalOpening(signal: "s", waiting: waiting, deadline: nil)))
        core.restart(isReady: true)
        let yes = Request.Command.decide(Decision(signal: "s", outcome: .approved(value: [])))
        #expect(core.send(yes, id: "d", as: AccessPolicy.Principal("ada")) == ["1<d forbidden"])
        #expect(core.send(yes, id: "e", as: AccessPolicy.Principal("bob")).first == "1<e delivered")
    }
}

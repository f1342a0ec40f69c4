import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A run that waits")
struct CoreWaitTests {
    private var harness = CoreHarness(pipelines: [HostedPipeline("p", pipeline(Stage("work")), slots: 1)])

    @Test("gives its slot to the next, and its signal's id is told once it is registered")
    mutating func suspending() {
        harness.run("a")
        harness.run("b", from: 2)
        let lines = harness.open("s")
        #expect(lines == ["resume 1 registered", "1<a waiting approve s", "start run-2"])
        #expect(harness.core.queues.load(of: "p").held == 1)
    }

    @Test("is told its decision at once, and resumes in front of those that have not begun")
    mutating func rejoining() {
        harness.run("a")
        harness.run("b")
        harness.run("c")
        harness.open("s")
        #expect(harness.complete("s", "yes", id: "d") == ["2<d delivered", "1<a resumed approve s"], "no slot is free")
        #expect(harness.end("run-2") == ["1<b completed run-2", #"resume 1 approved "yes""#])
        #expect(harness.end("run-1") == ["1<a completed run-1", "start run-3"])
    }

    @Test("counts again against its principal's bound once it has a slot")
    mutating func counting() {
        harness.run("a")
        #expect(harness.core.bounds.active == ["local": 1])
        harness.open("s")
        #expect(harness.core.bounds.active.isEmpty)
        harness.reject("s", id: "d")
        #expect(harness.core.bounds.active == ["local": 1])
        harness.end()
        #expect(harness.core.bounds.active.isEmpty)
    }

    @Test("for two signals at once holds one slot at most")
    mutating func twoWaits() {
        harness.run("a")
        harness.open("s", action: "one", waiter: 1)
        harness.open("t", action: "two", waiter: 2)
        harness.run("b")
        #expect(harness.core.queues.load(of: "p").held == 1)
        harness.complete("s", id: "d1")
        harness.complete("t", id: "d2")
        let lines = harness.end("run-2")
        #expect(Set(lines) == ["1<b completed run-2", "resume 1 approved null", "resume 2 approved null"])
        #expect(harness.core.queues.load(of: "p").held == 1)
        harness.end("run-1")
        #expect(harness.core.queues.load(of: "p").held == 0)
    }

    @Test("whose signal was decided before goes on at once and keeps its slot")
    mutating func early() {
        #expect(harness.complete("s", 7, id: "d") == ["2<d buffered"])
        harness.run("a")
        #expect(harness.open("s") == ["resume 1 approved 7"])
        #expect(harness.core.queues.load(of: "p").held == 1)
        #expect(harness.complete("s", 7, id: "e") == ["2<e duplicate"])
    }

    @Test("for a signal that another owner has is refused and keeps its slot")
    mutating func taken() {
        harness.run("a")
        harness.open("s", action: "one", waiter: 1)
        harness.run("b")
        #expect(harness.open("s", run: "run-2", waiter: 2) == ["resume 2 refused id_taken"])
        #expect(harness.core.queues.load(of: "p").held == 1)
    }

    @Test("and opens its signal again waits once: the wait before ends")
    mutating func reopened() {
        harness.run("a")
        harness.open("s", waiter: 1)
        let lines = harness.open("s", waiter: 2)
        #expect(lines == ["resume 1 closed", "resume 2 registered", "1<a waiting approve s"])
        #expect(harness.core.runs["run-1"]?.awaited == [WaiterID(number: 2): "s"])
        #expect(harness.complete("s", id: "d").last == "resume 2 approved null")
    }

    @Test("opens its signal after the decision and gets what stands")
    mutating func afterDecision() {
        harness.run("a")
        harness.open("s")
        harness.reject("s", "late", id: "d")
        #expect(harness.open("s", waiter: 2) == ["resume 2 rejected late"])
    }

    @Test("and gives up has closed its signal")
    mutating func withdrawn() {
        harness.run("a")
        harness.open("s")
        let lines = harness.step(.withdrawn("s", WaiterID(number: 1), why: "cancelled"))
        #expect(lines == ["1<a resumed approve s", "resume 1 closed"])
        #expect(harness.complete("s", id: "d") == ["2<d closed"])
        #expect(harness.step(.withdrawn("s", WaiterID(number: 1), why: "again")).isEmpty)
    }

    @Test("has its signal forgotten after its retention")
    mutating func retention() {
        harness.run("a")
        harness.open("s")
        harness.complete("s", id: "d")
        harness.end()
        harness.advance(by: .seconds(3_599))
        #expect(harness.keptCount == 1, "the signal")
        harness.advance(by: .seconds(1))
        #expect(harness.keptCount == 0)
    }
}

@Suite("A gate's deadline")
struct CoreGateDeadlineTests {
    private var harness = CoreHarness(pipelines: [HostedPipeline("p", pipeline(Stage("work")))])

    @Test("expires it, and whoever decides later is told")
    mutating func expiry() {
        harness.run("a")
        harness.open("s", deadline: .seconds(5))
        #expect(harness.advance(by: .milliseconds(4_999)).isEmpty)
        #expect(harness.advance(by: .milliseconds(1)) == ["1<a resumed approve s", "resume 1 expired"])
        #expect(harness.complete("s", id: "d") == ["2<d expired"])
    }

    @Test("means nothing once it is decided")
    mutating func decided() {
        harness.run("a")
        harness.open("s", deadline: .seconds(5))
        #expect(harness.reject("s", "no", id: "d").last == "resume 1 rejected no")
        #expect(harness.advance(by: .seconds(10)).isEmpty)
        #expect(harness.reject("s", "no", id: "e") == ["2<e duplicate"])
    }

    @Test("is not left behind in numbers when gates are decided long before it")
    mutating func swept() {
        harness.run("a")
        for number in 0..<5_000 {
            let signal = Name(unchecked: "s\(number)")
            harness.open(signal, waiter: UInt64(number), deadline: .seconds(1_000_000))
            harness.complete(signal, id: "d\(number)")
            harness.advance(by: .seconds(60))
        }
        #expect(harness.core.deadlines.count <= 4096)
    }
}

import ForgeBusProtocol
import ForgeOrchestrator
import Scorecard
import Testing

@testable import ForgeBusWorker

@Suite("A connection on which another principal speaks", .scorecard(21))
final class CoreCallerTests {
    private var harness: CoreHarness
    private let ada = Caller(.numbered(1), AccessPolicy.Principal("ada"))
    private let eve = Caller(.numbered(1), AccessPolicy.Principal("eve"))

    init() {
        var limits = WorkerLimits()
        limits.outstanding = 2
        harness = CoreHarness(
            pipelines: [HostedPipeline("p", pipeline(Stage("work")))],
            monitors: [HostedMonitor("m", MonitorOrchestrator(), topics: [">"], minimumGap: .seconds(60))],
            limits: limits
        )
    }

    /// Speaks on a connection: whether more may be asked there.
    private func hear(_ caller: Caller) -> Bool {
        switch harness.hear(caller) {
        case .heard: return true
        case .heardInstead(let former):
            #expect(harness.step(.replaced(former)).isEmpty)
            return true
        case .refused: return false
        }
    }

    /// Asks for something as ada, under an id.
    private func ask(_ command: Request.Command, id: String) throws -> [String] {
        let request = Request(command, id: try RequestID(id))
        #expect(hear(ada))
        let lines = harness.step(.received(Received(request, from: 1, as: AccessPolicy.Principal("ada"))))
        for line in lines where line.hasPrefix("1<") { harness.answered(ada) }
        return lines
    }

    @Test("is told nothing of the runs, watches and notifications of the one before")
    func displaced() throws {
        #expect(try ask(.run(RunRequest(pipeline: "p", wantsProgress: true)), id: "r").first == "1<r accepted run-1")
        #expect(try ask(.attach(AttachRequest(run: "run-1")), id: "t").isEmpty)
        #expect(try ask(.watch(WatchRequest(">", credit: 9)), id: "w").isEmpty)
        let notice = StateChange(topic: "t", wantsEvaluation: true, deadline: .seconds(5))
        #expect(try ask(.notify(notice), id: "n").contains("1<n accepted by 1"))
        #expect(hear(eve))
        #expect(harness.step(.transition("run-1", .started("work"))).isEmpty)
        #expect(!harness.end().contains { $0.hasPrefix("1<") })
        #expect(harness.advance(by: .seconds(60)).allSatisfy { !$0.hasPrefix("1<") })
        #expect(harness.core.watches.isEmpty)
        #expect(harness.core.evaluations.count == 0)
    }

    @Test("is not told what was decided for the one before and has not left yet")
    func onItsWay() throws {
        _ = try ask(.run(RunRequest(pipeline: "p")), id: "r")
        #expect(harness.callers.isCurrent(ada))
        #expect(hear(eve))
        #expect(!harness.callers.isCurrent(ada))
        #expect(harness.callers.isCurrent(eve))
        #expect(harness.callers.isCurrent(Caller(unknown: .numbered(1))), "what is said at once goes to whoever spoke")
    }

    @Test("leaves what others asked for on other connections alone")
    func others() throws {
        _ = try ask(.run(RunRequest(pipeline: "p")), id: "r")
        #expect(hear(Caller(.numbered(2), AccessPolicy.Principal("eve"))))
        #expect(harness.end() == ["1<r completed run-1"])
    }

    @Test("is not the same as one that speaks again, or with another of its keys")
    func again() throws {
        _ = try ask(.run(RunRequest(pipeline: "p")), id: "r")
        #expect(hear(ada))
        #expect(harness.end() == ["1<r completed run-1"])
    }

    @Test("has its own count of what is outstanding: past the bound it is refused, and taken when an answer has left")
    func outstanding() throws {
        for id in ["a", "b"] {
            #expect(hear(ada))
            _ = harness.step(.received(Received(Request(.ping([]), id: try RequestID(id)), from: 1, as: .init("ada"))))
        }
        #expect(!hear(ada))
        #expect(hear(Caller(.numbered(2), AccessPolicy.Principal("ada"))), "another connection has its own")
        harness.answered(ada)
        #expect(hear(ada))
    }

    @Test("that is new to the worker is refused while there are more than there may be")
    func crowded() throws {
        var first = ada
        var limits = WorkerLimits()
        limits.connections = 10
        var callers = Callers(limits: limits)
        var second = Caller(.numbered(2), AccessPolicy.Principal("bob"))
        let told = [
            callers.hear(&first, among: 10), callers.hear(&first, among: 11), callers.hear(&second, among: 11),
            callers.hear(&second, among: 10),
        ]
        #expect(told == [.heard, .heard, .refused(.connections), .heard], "the first was there before")
    }

    @Test("counts no answer that comes later than the first: a run may take days")
    func later() throws {
        for id in ["a", "b", "c"] { _ = try ask(.run(RunRequest(pipeline: "p")), id: id) }
        for run: Name in ["run-1", "run-2", "run-3"] { harness.end(run) }
        #expect(hear(ada), "three results are on their way")
    }
}

@Suite("The book of callers")
struct CallerBookTests {
    @Test("forgets connections of which nothing is owed once there are many, and no others")
    func sweep() {
        var limits = WorkerLimits()
        (limits.outstanding, limits.connections) = (1, .max)
        var book = Callers(limits: limits)
        func caller(_ number: Int, _ name: String = "ada") -> Caller { Caller(.numbered(number), .init(name)) }
        var number = 0
        while !book.isOvergrown {
            var next = caller(number)
            let hearing = book.hear(&next, among: number)
            #expect(hearing == .heard)
            number += 1
        }
        book.owes(caller(3))
        book.sweep(keeping: [.numbered(5)])
        #expect(!book.isOvergrown)
        for kept in [3, 5] { #expect(!book.isCurrent(caller(kept, "eve"))) }
        #expect(book.isCurrent(caller(4, "eve")), "nobody is known there any more")
        var (full, free, eve) = (caller(3), caller(5), caller(5, "eve"))
        let hearings = [book.hear(&full, among: 0), book.hear(&free, among: 0), book.hear(&eve, among: 0)]
        #expect(hearings == [.refused(.outstanding), .heard, .heardInstead(of: caller(5))])
    }
}

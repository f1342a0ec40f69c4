import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusWorker

private let seeds: [Seed] = [.optional("e", .string, default: nil)]

private func served(_ then: OnePer.Newcomer = .queue, group: Name? = nil) -> [HostedPipeline] {
    [
        HostedPipeline(
            "p",
            pipeline(Stage("work")),
            seeds: seeds,
            slots: 8,
            onePer: OnePer("{seed.e}", group: group, then: then),
            policies: ["work": ActionPolicy(onFailure: .park)]
        ),
        HostedPipeline(
            "q",
            pipeline(Stage("work")),
            seeds: seeds,
            slots: 8,
            onePer: OnePer("{seed.e}", group: group)
        ),
    ]
}

@Suite("Runs with an exclusive key")
struct CoreKeyTests {
    private var harness = CoreHarness(pipelines: served())

    private mutating func ask(_ id: String, _ key: String, of pipeline: Name = "p") -> [String] {
        harness.run(id, pipeline: pipeline, seeds: ["e": .string(key)])
    }

    private mutating func show(_ run: Name) throws -> RunItem {
        let event = Event.received(Received(Request(.show(ShowRequest(.run, run))), from: 1))
        guard case .answer(let answer, _) = harness.effects(of: event).first, case .shown(let item) = answer.content
        else { throw Missing("an item") }
        return try RunItem(item)
    }

    @Test("begin one after another, and beside the runs with other keys")
    mutating func queue() throws {
        #expect(ask("a", "x").last == "start run-1")
        #expect(ask("b", "x") == ["1<b accepted run-2"])
        #expect(ask("c", "y").last == "start run-3")
        #expect(ask("d", "x", of: "q").last == "start run-4", "another pipeline has keys of its own")
        let waiting = try show("run-2")
        #expect(waiting.key == "x")
        #expect(waiting.holder == "run-1")
        #expect(try show("run-1").holder == nil)
        #expect(harness.end("run-1") == ["1<a completed run-1", "start run-2"])
    }

    @Test("keep their key while they wait and while they are parked")
    mutating func resting() {
        _ = ask("a", "x")
        harness.restAtGate("s")
        #expect(ask("b", "x") == ["1<b accepted run-2"])
        #expect(harness.complete("s", id: "d").last == "go on with run-1 at approve, approved null")
        harness.rest(.failed(reason: "no"))
        #expect(harness.core.runs["run-1"]?.standing == .parked)
        #expect(harness.core.runs["run-2"]?.standing == .queued)
        harness.send(.cancel(CancelRequest(run: "run-1")), id: "c")
        #expect(harness.end("run-1").last == "start run-2")
    }

    @Test("of several pipelines exclude each other in a group, and the first in the line of each comes next")
    mutating func group() {
        harness = CoreHarness(pipelines: served(group: "production"))
        _ = ask("a", "x")
        #expect(ask("b", "x", of: "q") == ["1<b accepted run-2"])
        #expect(ask("c", "x") == ["1<c accepted run-3"])
        #expect(harness.end("run-1").last == "start run-3", "`p` comes before `q`")
        #expect(harness.end("run-3").last == "start run-2")
    }

    @Test("are superseded by a newer one where they wait, and an approval releases nothing any more")
    mutating func supersede() {
        harness = CoreHarness(pipelines: served(.supersede))
        _ = ask("a", "x")
        harness.restAtGate("s")
        let lines = ask("b", "x")
        #expect(lines == ["1<b accepted run-2", "cancel run-1", "end run-1 at approve, closed"])
        #expect(harness.complete("s", id: "d") == ["2<d closed"])
        #expect(harness.end("run-1") == ["1<a cancelled run-1", "start run-2"])
        #expect(harness.audited.map(\.word) == ["superseded", "decided"])
        #expect(harness.audited.first?.facts == ["by": "run-2"])
    }

    @Test("are superseded when they come to rest, if they execute, and at once, if they have not begun")
    mutating func executing() {
        harness = CoreHarness(pipelines: served(.supersede))
        _ = ask("a", "x")
        #expect(ask("b", "x") == ["1<b accepted run-2"])
        #expect(ask("c", "x") == ["1<c accepted run-3", "1<b cancelled run-2"])
        #expect(harness.restAtGate("s").contains("cancel run-1"))
        #expect(harness.end("run-1") == ["1<a cancelled run-1", "start run-3"])
    }

    @Test("are superseded though the queue is full of them, and not where the newest was cancelled before")
    mutating func full() {
        var limits = WorkerLimits()
        limits.queuedRuns = 1
        harness = CoreHarness(pipelines: served(.supersede), limits: limits)
        _ = ask("a", "x")
        _ = ask("b", "x")
        #expect(ask("c", "y").last == "start run-3", "a slot and its key are free")
        #expect(ask("d", "y").last == "1<d error busy queued")
        #expect(ask("e", "x") == ["1<e accepted run-4", "1<b cancelled run-2"])
        harness.send(.cancel(CancelRequest(run: "run-4")), id: "f")
        #expect(harness.restAtGate("s") == ["1<a waiting approve s"])
    }

    @Test("are refused where they may not wait, by the name of the run that has the key")
    mutating func refuse() throws {
        harness = CoreHarness(pipelines: served(.refuse, group: "g"))
        _ = ask("a", "x", of: "q")
        harness.restAtGate("s")
        let request = Request(.run(RunRequest(pipeline: "p", seeds: ["e": "x"])), id: try RequestID("b"))
        guard case .answer(let answer, _) = harness.effects(of: .received(Received(request, from: 1))).first,
            case .error(let error) = answer.content
        else { throw Missing("an error") }
        #expect(error.code == .keyHeld)
        #expect(error.message.contains("run-1"))
        #expect(ask("c", "y").last == "start run-2")
        #expect(ask("d", String(repeating: "k", count: 257)) == ["1<d error bad_seed"])
    }

    @Test("are not begun for a run that has their key and would wait for them", arguments: OnePer.Newcomer.allCases)
    mutating func deadlock(then: OnePer.Newcomer) {
        harness = CoreHarness(pipelines: served(then, group: "g"))
        _ = ask("a", "x", of: "q")
        let order = RequestedRun(pipeline: "p", seeds: ["e": "x"], waits: true)
        #expect(harness.rest(.request(order)) == ["go on with run-1 at work, refused key_held"])
        #expect(harness.core.runs.count == 1)
    }

    @Test("are not begun where the one that has their key waits for the one that waits for them, over a third")
    mutating func ring() {
        // run-1 has x and waits for run-3, which waits for y; run-2 has y, and may not wait for another one with x.
        _ = ask("a", "x")
        _ = ask("b", "y")
        let first = RequestedRun(pipeline: "p", seeds: ["e": "y"], waits: true)
        #expect(harness.rest(.request(first), run: "run-1", waiter: 1) == [])
        let second = RequestedRun(pipeline: "p", seeds: ["e": "x"], waits: true)
        #expect(
            harness.rest(.request(second), run: "run-2", waiter: 2) == ["go on with run-2 at work, refused key_held"]
        )
        #expect(harness.end("run-2").last == "start run-3")
        #expect(harness.end("run-3").last == "go on with run-1 at work, ended run-3 completed")
    }

    @Test("have their key after a restart, in whatever order they are found, and newer ones supersede them then")
    mutating func restart() {
        for then in OnePer.Newcomer.allCases {
            var core = RestartedCore(pipelines: served())
            for id in ["a", "b"] { _ = core.send(.run(RunRequest(pipeline: "p", seeds: ["e": "x"])), id: id) }
            core.restart(pipelines: served(then), isReady: true)
            let standing = core.core.runs["run-1"]?.standing
            #expect(core.core.runs["run-2"]?.standing == .queued)
            #expect(standing == (then == .supersede ? .stopping : .running))
        }
    }

    @Test("have their key after a restart while they are parked, too", arguments: OnePer.Newcomer.allCases)
    func parked(then: OnePer.Newcomer) {
        var core = RestartedCore(pipelines: served())
        for id in ["a", "b"] { _ = core.send(.run(RunRequest(pipeline: "p", seeds: ["e": "x"])), id: id) }
        core.asked("run-1", "work")
        core.rest(.failed(reason: "no"))
        core.restart(pipelines: served(then), isReady: true)
        #expect(core.core.runs["run-1"]?.standing == (then == .supersede ? .stopping : .parked))
        #expect(core.core.runs["run-2"]?.standing == .queued)
    }

    @Test("that wait for one key do not keep those with another from their slots, and none of them is lost")
    mutating func many() {
        var (model, seed) = (KeyModel(), SeededGenerator(seed: 47))
        for _ in 0..<20_000 { model.act(&seed) }
        #expect(model.violations == [])
        #expect(model.taken > 3_000)
    }
}

/// The queues of two pipelines that share their keys, beside a list of who waits and who has which key.
private struct KeyModel {
    private var queues = RunQueues(served(group: "g"), slots: 5, capacity: 1_000)
    private var number = 0
    private var waiting: [(run: Name, pipeline: Name, key: String)] = []
    private var holding: [(run: Name, pipeline: Name, key: String)] = []
    private(set) var violations: [String] = []
    private(set) var taken = 0

    mutating func act(_ generator: inout SeededGenerator) {
        switch generator.below(5) {
        case 0...1 where waiting.count < 30:
            number += 1
            let run = (
                Name(unchecked: "run-\(number)"), generator.oneIn(2) ? "p" as Name : "q", "\(generator.below(4))"
            )
            queues.add(run.0, with: ExclusiveKey(.group("g"), run.2), hasBegun: false)
            queues.enqueue(run.0, of: run.1)
            waiting.append(run)
        case 2 where !waiting.isEmpty:
            let run = waiting.remove(at: generator.below(waiting.count))
            queues.withdraw(run.run, of: run.pipeline)
            queues.end(run.run, of: run.pipeline)
        case 3 where !holding.isEmpty:
            let run = holding.remove(at: generator.below(holding.count))
            queues.release(run.pipeline)
            queues.end(run.run, of: run.pipeline)
        default: break
        }
        if generator.oneIn(3) { fill() }
    }

    /// Gives all free slots: each to the first run of its pipeline whose key is free.
    private mutating func fill() {
        while let run = queues.next() {
            guard let place = waiting.firstIndex(where: { $0.run == run }) else { return violations.append("\(run)") }
            let next = waiting.remove(at: place)
            if holding.contains(where: { $0.key == next.key }) { violations.append("\(run) gets a key that is held") }
            let isFirst = !waiting[..<place].contains { $0.pipeline == next.pipeline && $0.key == next.key }
            if !isFirst { violations.append("\(run) overtakes one with its key") }
            holding.append(next)
            taken += 1
        }
        let load = queues.load(of: "p").waiting + queues.load(of: "q").waiting
        if load != waiting.count { violations.append("\(load) wait, not \(waiting.count)") }
        if holding.count < 5, waiting.contains(where: { run in !holding.contains { $0.key == run.key } }) {
            violations.append("a run waits, and its key and a slot are free")
        }
    }
}

import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A request that an earlier worker took")
struct CoreRestoreRequestTests {
    private var core = RestartedCore(pipelines: [HostedPipeline("p", pipeline(Stage("work")), slots: 1)])

    @Test("gets the answers that the earlier worker would have given, byte for byte")
    mutating func replayed() {
        core.run("a")
        core.end()
        core.complete("s", 7, id: "d")
        core.send(.cancel(CancelRequest(run: "run-1")), id: "c")
        var told: [[[UInt8]]] = []
        for _ in 0...1 {
            #expect(core.run("a") == ["1<a accepted run-1 again", "1<a completed run-1 again"])
            #expect(core.complete("s", 7, id: "d") == ["1<d buffered again"])
            let cancelled = core.send(.cancel(CancelRequest(run: "run-1")), id: "c")
            #expect(cancelled == ["1<c ok completed run-1 again"])
            told.append(core.latest(4))
            core.restart(after: .seconds(20), isReady: true)
        }
        #expect(told[0] == told[1])
    }

    @Test("is refused where its id comes with other content, and the refusal names its run")
    mutating func conflict() {
        core.run("a")
        core.restart(isReady: true)
        #expect(core.run("a", deadline: .seconds(9)) == ["1<a error id_conflict"])
        guard case .error(let error) = core.answers.last?.content else { return #expect(Bool(false), "no error") }
        #expect(error.details["run"] == "run-1")
    }

    @Test("is its sender's: the same id of another principal is new")
    mutating func otherPrincipal() {
        core.run("a")
        core.end()
        core.restart(isReady: true)
        let request = Request.Command.run(RunRequest(pipeline: "p"))
        #expect(core.send(request, id: "a", source: "other") == ["1<a accepted run1-1", "start run1-1"])
        #expect(core.run("a") == ["1<a accepted run-1 again", "1<a completed run-1 again"])
    }

    @Test("is attached to while its run is unfinished, and gets the result")
    mutating func attached() {
        core.run("a")
        #expect(core.restart(isReady: true) == ["start run-1"])
        #expect(core.run("a") == ["1<a accepted run-1 again"])
        #expect(core.end() == ["1<a completed run-1"])
    }

    @Test("is forgotten, with its run, when the rest of its retention is over, and then is new")
    mutating func forgotten() {
        core.run("a")
        core.end()
        core.restart(after: .seconds(200), isReady: true)
        core.advance(by: .milliseconds(399_999))
        #expect(core.kept.keys.contains(.run("run-1")))
        core.advance(by: .milliseconds(1))
        #expect(core.kept.isEmpty)
        #expect(core.core.ended.count == 0)
        #expect(core.run("a") == ["1<a accepted run1-1", "start run1-1"])
    }

    @Test("is forgotten in the taking over where its retention passed meanwhile")
    mutating func forgottenMeanwhile() {
        core.run("a")
        core.end()
        core.complete("s", id: "d")
        core.restart(after: .seconds(600))
        #expect(core.kept.keys.sorted { "\($0)" < "\($1)" } == [.signal("s")])
    }

    @Test("that asked for a run keeps its place in the line, which moves when the worker is ready")
    mutating func line() {
        for id in ["a", "b", "c", "d"] { core.run(id) }
        #expect(core.restart().isEmpty)
        #expect(core.run("b") == ["1<b accepted run-2 again"])
        #expect(core.decide(.ready) == ["start run-1"])
        #expect(core.end("run-1") == ["start run-2"])
        #expect(core.end("run-2") == ["1<b completed run-2", "start run-3"])
        #expect(core.end("run-3") == ["start run-4"])
    }

    @Test("and of whose answer somebody is told again is told in numbers that rise")
    mutating func numbers() {
        core.send(.run(RunRequest(pipeline: "p", wantsProgress: true)), id: "a")
        core.asked("run-1", "work", "more")
        core.completed("work")
        let before = core.sequences
        core.restart(after: .seconds(1), isReady: true)
        core.send(.attach(AttachRequest(run: "run-1", wantsProgress: true)))
        core.completed("more")
        let after = core.sequences.dropFirst(before.count)
        #expect(before == [1] && after.count == 1)
        #expect(after.first.map { $0 > 1 } == true)
    }
}

@Suite("What an operator asked of the store")
struct CoreRestoreTaskTests {
    @Test("and the worker did not live to have done leaves no trace: the same request again is done")
    func task() throws {
        var core = RestartedCore()
        let verify = Request.Command.admin(AdminRequest("store.verify"))
        #expect(core.send(verify, id: "v") == ["perform verify for v"])
        #expect(core.kept.isEmpty)
        core.restart(isReady: true)
        #expect(core.send(verify, id: "v") == ["perform verify for v"])
        let key = RequestKey(principal: "local", id: try RequestID("v"))
        #expect(core.decide(.performed(key, .success(["sound": true]))) == ["1<v ok done"])
        core.restart(isReady: true)
        #expect(core.send(verify, id: "v") == ["1<v ok done again"])
    }
}

extension RestartedCore {
    /// The numbers under which changes were told.
    fileprivate var sequences: [Int] {
        answers.compactMap { if case .progress(let progress) = $0.content { progress.sequence } else { nil } }
    }
}

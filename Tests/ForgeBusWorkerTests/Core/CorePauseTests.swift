import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

private let feed = PauseSubject(.pipeline, "feed")
private let stock = PauseSubject(.monitor, "stock")

@Suite("A pause of a pipeline")
struct CorePauseTests {
    private var core = CoreHarness(
        pipelines: [
            HostedPipeline("feed", pipeline(Stage("work")), slots: 1),
            HostedPipeline("other", pipeline(Stage("work")), slots: 2),
        ]
    )

    @discardableResult
    private mutating func pause(
        for time: Duration? = nil,
        because reason: String = "",
        id: String = "pause"
    ) -> [String] {
        core.send(.pause(PauseRequest(feed, .pause(for: time, reason: reason))), id: id, from: 7)
    }

    @discardableResult
    private mutating func resume(_ subject: PauseSubject = feed, id: String = "resume") -> [String] {
        core.send(.pause(PauseRequest(subject, .resume)), id: id, from: 7)
    }

    @Test("lets its runs wait, though slots are free, and no other pipeline's")
    mutating func queued() {
        #expect(pause() == ["7<pause ok paused"])
        #expect(core.run("a", pipeline: "feed") == ["1<a accepted run-1"])
        #expect(core.run("b", pipeline: "other").last == "start run-2")
        #expect(resume() == ["7<resume ok resumed", "start run-1"])
        #expect(!core.kept.keys.contains(.pipelinePause("feed")))
    }

    @Test("lets a run that executes end, and the next one wait")
    mutating func executing() {
        core.run("a", pipeline: "feed")
        core.run("b", pipeline: "feed")
        pause()
        #expect(core.end("run-1") == ["1<a completed run-1"])
        #expect(resume().last == "start run-2")
    }

    @Test("lets a decided run wait to go on, and a cancelled one end")
    mutating func decided() {
        core.run("a", pipeline: "feed")
        core.open("s")
        pause()
        #expect(core.complete("s", id: "d").last == "1<a resumed approve s")
        #expect(core.core.runs["run-1"]?.standing == .queued)
        core.send(.cancel(CancelRequest(run: "run-1")), id: "c", from: 2)
        #expect(core.end("run-1") == ["1<a cancelled run-1"])
        #expect(resume() == ["7<resume ok resumed"])
    }

    @Test("ends when its time is over, is told then, and not before")
    mutating func time() {
        pause(for: .seconds(10), because: "incident 4711")
        core.run("a", pipeline: "feed")
        #expect(core.advance(by: .milliseconds(9_999)).isEmpty)
        #expect(core.advance(by: .milliseconds(1)) == ["start run-1"])
        #expect(core.warned.contains { if case .pauseEnded(let pause) = $0 { pause.subject == feed } else { false } })
    }

    @Test("is replaced by the next one, its time included")
    mutating func replaced() {
        pause(for: .seconds(10))
        core.advance(by: .seconds(5))
        pause(for: .seconds(10), id: "second")
        core.run("a", pipeline: "feed")
        #expect(core.advance(by: .milliseconds(9_999)).isEmpty)
        pause(id: "third")
        #expect(core.advance(by: .seconds(100_000)).isEmpty)
        #expect(resume().last == "start run-1")
    }

    @Test("begins once, however often it is sent; a resend after its end does not begin it again")
    mutating func again() {
        pause()
        resume()
        #expect(pause() == ["7<pause ok paused again"])
        #expect(core.run("a", pipeline: "feed").last == "start run-1")
    }

    @Test("fills the queue: further runs are refused, and the others wait")
    mutating func full() {
        var harness = CoreHarness(
            pipelines: [HostedPipeline("feed", pipeline(Stage("work")), slots: 1)],
            limits: {
                var limits = WorkerLimits(); limits.queuedRuns = 1; return limits
            }()
        )
        harness.send(.pause(PauseRequest(feed, .pause(for: nil, reason: ""))), id: "pause", from: 7)
        #expect(harness.run("a", pipeline: "feed") == ["1<a accepted run-1"])
        #expect(harness.run("b", pipeline: "feed") == ["1<b error busy queued"])
    }

    @Test("is shown with the pipeline, its waiting runs and the worker: by whom, until when and why")
    mutating func shown() throws {
        pause(for: .seconds(10), because: "incident 4711")
        core.run("a", pipeline: "feed")
        let principal = AccessPolicy.Principal.local
        let reader = core.core.reader(for: principal, at: core.now)
        let expected: JSONObject = [
            "by": "local", "since_ms": .integer(core.now.unixMilliseconds),
            "until_ms": .integer(core.now.unixMilliseconds + 10_000), "reason": "incident 4711",
        ]
        #expect(try reader.item(ShowRequest(.pipeline, "feed"))["paused"]?.object == expected)
        #expect(try reader.item(ShowRequest(.pipeline, "other"))["paused"] == nil)
        #expect(try reader.item(ShowRequest(.run, "run-1"))["paused"]?.object == expected)
        let worker = core.core.description(for: principal, at: core.now)
        let paused = try #require(worker.pauses.first)
        #expect(paused.subject == "pipeline/feed" && paused.pause.reason == "incident 4711")
    }

    @Test("is audited with its end, not with its reason")
    mutating func audited() throws {
        pause(for: .seconds(10), because: "incident 4711")
        resume()
        let until = core.now.unixMilliseconds + 10_000
        #expect(core.audited.map(\.event) == [.paused(feed, until: until), .resumed(feed)])
    }
}

@Suite("A pause that was on when the worker died")
struct CoreRestorePauseTests {
    private static let hosted = [HostedPipeline("p", pipeline(Stage("work")), slots: 1)]
    private var core = RestartedCore(pipelines: hosted)

    @discardableResult
    private mutating func pause(for time: Duration? = nil) -> [String] {
        core.send(.pause(PauseRequest(PauseSubject(.pipeline, "p"), .pause(for: time, reason: "why"))))
    }

    @Test("goes on, and ends at its time")
    mutating func time() {
        core.run("a")
        pause(for: .seconds(10))
        core.restart(after: .seconds(4), isReady: true)
        #expect(core.core.runs["run-1"]?.account.slot == .awaited)
        #expect(core.advance(by: .milliseconds(5_999)).isEmpty)
        #expect(core.advance(by: .milliseconds(1)) == ["start run-1"])
        #expect(!core.kept.keys.contains(.pipelinePause("p")))
    }

    @Test("ends at its time, also while no worker is there")
    mutating func over() {
        core.run("a")
        pause(for: .seconds(10))
        core.restart(after: .seconds(10))
        #expect(!core.kept.keys.contains(.pipelinePause("p")))
        #expect(core.decide(.ready) == ["start run-1"])
    }

    @Test("lasts through a worker that does not serve the pipeline, and can be ended there")
    mutating func gone() {
        pause()
        core.restart(pipelines: [], isReady: true)
        #expect(core.kept.keys.contains(.pipelinePause("p")))
        let resume = Request.Command.pause(PauseRequest(PauseSubject(.pipeline, "p"), .resume))
        #expect(core.send(resume, id: "resume") == ["1<resume ok resumed"])
        #expect(!core.kept.keys.contains(.pipelinePause("p")))
        #expect(core.send(resume, id: "again") == ["1<again error unknown_pipeline"])
    }

    @Test("of a monitor keeps it from its first cycle")
    mutating func monitor() {
        let hosted = [HostedMonitor("stock", MonitorOrchestrator(), topics: ["t"])]
        var core = RestartedCore(monitors: hosted)
        core.send(.pause(PauseRequest(stock, .pause(for: .seconds(10), reason: ""))))
        #expect(core.restart().contains("pause 0"))
        core.decide(.standingChanged(monitor: 0, .excluded))
        #expect(core.decide(.ready).isEmpty)
        #expect(core.advance(by: .seconds(10)) == ["continue 0"])
        #expect(core.journal.last?.event == "pause_ended" && core.journal.last?.monitor == "stock")
        #expect(core.decide(.standingChanged(monitor: 0, .free)) == ["cycle 0"])
    }
}

@Suite("A pause of a monitor")
struct CoreMonitorPauseTests {
    private var harness = CoreHarness(monitors: [HostedMonitor("stock", MonitorOrchestrator(), topics: ["t"])])

    init() {
        harness.step(.cycleEnded(monitor: 0, .ran(MonitorCycle(number: 1, actions: []))))
        harness.advance(by: .seconds(1))
    }

    @Test("keeps it from beginning cycles before it is confirmed, and ends with its time")
    mutating func time() {
        let request = PauseRequest(stock, .pause(for: .seconds(10), reason: ""))
        #expect(harness.send(.pause(request), id: "pause", from: 7) == ["pause 0", "7<pause ok paused"])
        harness.step(.standingChanged(monitor: 0, .excluded))
        #expect(harness.send(.notify(StateChange(topic: "t")), id: "n") == ["1<n accepted by 1"])
        #expect(harness.advance(by: .seconds(10)) == ["continue 0"])
        #expect(harness.step(.standingChanged(monitor: 0, .free)) == ["cycle 0"])
    }

    @Test("of one that the worker does not serve is refused")
    mutating func unknown() {
        let request = PauseRequest(PauseSubject(.monitor, "feed"), .pause(for: .seconds(10), reason: ""))
        #expect(harness.send(.pause(request), id: "pause") == ["1<pause error unknown_monitor"])
    }

    @Test("of the pipeline with its name is another")
    mutating func kinds() {
        let resume = PauseRequest(stock, .resume)
        harness.send(.pause(PauseRequest(stock, .pause(for: .seconds(10), reason: ""))), id: "pause")
        #expect(harness.core.pauses[PauseSubject(.pipeline, "stock")] == nil)
        #expect(harness.send(.pause(resume), id: "resume").contains("continue 0"))
    }
}

@Suite("The right to pause")
struct PauseRightTests {
    @Test("is a right of every process without keys, though it may set no mode")
    func local() {
        let local = AccessPolicy.Principal.local
        let pause = Request.Command.pause(PauseRequest(feed, .pause(for: nil, reason: "")))
        #expect(AccessPolicy.local.ruling(on: pause, of: local) == .allowed)
        for pattern in [">", "monitor.stock", "pipeline.>"] as [NamePattern] {
            let mode = Request.Command.mode(ModeRequest(pattern, screen: nil, for: .seconds(1)))
            #expect(AccessPolicy.local.ruling(on: mode, of: local) != .allowed)
        }
    }
}

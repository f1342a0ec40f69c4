import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("Whoever runs the worker")
struct CoreWarningTests {
    private var harness = CoreHarness(
        pipelines: [
            HostedPipeline("p", pipeline(Stage("work")), policies: ["work": ActionPolicy(onFailure: .park)])
        ],
        monitors: [HostedMonitor("m", MonitorOrchestrator(), topics: ["a.>"])]
    )

    private var warnings: [String] {
        harness.warned.map { trouble in
            switch trouble {
            case .run(let run, let pipeline, let state, let reason):
                "\(run) of \(pipeline) \(state.rawValue): \(reason)"
            case .cycle(let monitor, let failed): "\(monitor) failed: \(failed)"
            case .overdue(let monitor): "\(monitor) is overdue"
            case .recovered(let monitor, let failures): "\(monitor) recovered after \(failures)"
            case .eventsFail(let pipeline, let run, let reason): "\(pipeline) fails with \(run): \(reason)"
            case .eventsRecovered(let pipeline, let failures): "\(pipeline) works after \(failures)"
            case .pauseEnded(let pause): "\(pause.subject) is paused no more"
            }
        }
    }

    @Test("hears of runs that fail, take too long, are lost or parked, and why; and of no others")
    mutating func runs() {
        harness.run("a")
        harness.end("run-1")
        harness.run("b")
        harness.send(.cancel(CancelRequest(run: "run-2")), id: "c")
        harness.end("run-2")
        #expect(warnings.isEmpty)
        harness.run("d")
        harness.end("run-3", failing: "no disk")
        harness.run("e", deadline: .seconds(1))
        harness.advance(by: .seconds(1))
        harness.end("run-4")
        harness.run("f")
        harness.rest(.failed(reason: "no disk"), run: "run-5")
        harness.run("g")
        harness.step(.drain)
        harness.step(.drainTimeEnded)
        #expect(
            warnings == [
                "run-3 of p failed: work: no disk", "run-4 of p timed_out: \(Errors.deadlinePassed)",
                "run-5 of p parked: work: no disk", "run-5 of p lost: \(Errors.lostAtStop)",
                "run-6 of p lost: \(Errors.lostAtStop)",
            ]
        )
    }

    @Test("hears of cycles whose actions failed")
    mutating func cycles() {
        let report = PipelineReport.test().actions
        harness.step(.cycleEnded(monitor: 0, .ran(MonitorCycle(number: 1, actions: report))))
        #expect(warnings.isEmpty)
        let failing = PipelineReport.test(failing: "no glue").actions
        harness.step(.cycleEnded(monitor: 0, .ran(MonitorCycle(number: 2, actions: failing))))
        #expect(warnings == [#"m failed: ["work: no glue"]"#])
    }
}

import ForgeOrchestrator
import TestSupport
import Testing

@Suite("A run that is resumed")
struct PipelineResumptionTests {
    private let executed = Record<ActionID>()
    private let asked = Record<ActionID>()
    private let log = Record<String>()

    private func pipeline(_ stages: [(ActionID, Set<ActionID>)]) -> PipelineOrchestrator {
        let pipeline = PipelineOrchestrator(logger: log.logger)
        for (id, requires) in stages {
            pipeline.register(
                Stage(
                    id: id,
                    requires: requires,
                    condition: { [asked] in
                        asked.add(id)
                        return true
                    },
                    body: { [executed] _ in
                        executed.add(id)
                        return .completed
                    }
                )
            )
        }
        return pipeline
    }

    @Test("asks no conditions and executes only what has no result, in the order it had")
    func order() async {
        let transitions = Record<PipelineTransition>()
        let report = await pipeline([("a", []), ("b", []), ("c", []), ("d", [])]).run(
            resuming: PipelineResumption(eligible: ["c", "a", "b"], results: ["c": .completed])
        ) { transitions.add($0) }
        #expect(asked.values.isEmpty)
        #expect(executed.values == ["a", "b"])
        #expect(report.eligible == ["c", "a", "b"])
        #expect(report.results == [.completed, .completed, .completed])
        #expect(report.actions[0] == ActionReport(id: "c", result: .completed, start: .zero, duration: .zero))
        #expect(
            transitions.values == [
                .started("a"), .finished(report.actions[1]), .started("b"), .finished(report.actions[2]),
            ]
        )
    }

    @Test("counts stored results for requirements and for the outcome")
    func storedResults() async {
        let context = PipelineContext()
        let report = await pipeline([("a", []), ("b", ["a"]), ("c", ["ok"]), ("ok", [])]).run(
            context: context,
            resuming: PipelineResumption(
                eligible: ["a", "ok", "b", "c"],
                results: ["a": .failed("before the crash"), "ok": .completed]
            )
        )
        #expect(report.results == [.failed("before the crash"), .completed, .skipped, .completed])
        #expect(report.isFailed)
        #expect(executed.values == ["c"])
        #expect(context.result(of: "a") == .failed("before the crash"))
        #expect(log.values.isEmpty)
    }

    @Test("fails an action that is no longer registered, and skips what requires it")
    func unregistered() async throws {
        let report = await pipeline([("b", ["gone"])]).run(
            resuming: PipelineResumption(eligible: ["gone", "b"], results: [:])
        )
        guard case .failed(let reason) = report.results.first else { throw Missing("a failure") }
        #expect(reason.contains("\"gone\"") && report.results.dropFirst() == [.skipped])
        #expect(executed.values.isEmpty)
    }

    @Test("does not look at results of actions that were not eligible, nor at an id that is named twice")
    func strayResults() async {
        let report = await pipeline([("a", []), ("b", ["a"])]).run(
            resuming: PipelineResumption(eligible: ["b", "b"], results: ["a": .completed])
        )
        #expect(report.eligible == ["b"] && report.results == [.skipped])
        #expect(log.values.map { $0.contains("condition") && $0.hasSuffix(" requires=a") } == [true])
    }

    @Test("ends as the same run would have ended without the interruption, wherever that came", arguments: 0...4)
    func everyCut(_ cut: Int) async {
        let ids: [ActionID] = ["a", "b", "c", "d"]
        let pipeline = pipeline([("a", []), ("b", ["a"]), ("c", ["b"]), ("d", [])])
        let whole = await pipeline.run()
        let known = Dictionary(uniqueKeysWithValues: zip(ids, whole.results).prefix(cut).map { ($0, $1) })
        let rest = await pipeline.run(resuming: PipelineResumption(eligible: whole.eligible, results: known))
        #expect(rest.results == whole.results && rest.eligible == whole.eligible)
        #expect(executed.values == ids + ids.dropFirst(cut))
    }
}

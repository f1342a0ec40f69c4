import ForgeOrchestrator
import TestSupport
import Testing

@Suite("An action that requires others")
struct PipelineRequiresTests {
    private let log = Record<String>()
    private let executed = Record<ActionID>()

    private func stage(_ id: ActionID, requires: Set<ActionID> = [], _ result: ActionResult = .completed) -> Stage {
        Stage(
            id: id,
            requires: requires,
            body: { [executed] _ in
                executed.add(id)
                return result
            }
        )
    }

    private func results(_ stages: [Stage]) async -> [ActionID: ActionResult] {
        let pipeline = PipelineOrchestrator(logger: log.logger)
        pipeline.register(stages)
        let report = await pipeline.run()
        return Dictionary(uniqueKeysWithValues: report.actions.map { ($0.id, $0.result) })
    }

    @Test("executes when all of them completed, without a word in the log")
    func met() async {
        let results = await results([stage("a"), stage("b"), stage("c", requires: ["a", "b"])])
        #expect(results["c"] == .completed && executed.values == ["a", "b", "c"] && log.values.isEmpty)
    }

    @Test(
        "is skipped when one failed or was skipped, and so is what requires it",
        arguments: [
            ActionResult.failed("broken"), .skipped,
        ]
    )
    func unmet(_ result: ActionResult) async {
        let results = await results([
            stage("a"), stage("b", result), stage("c", requires: ["a", "b"]), stage("d", requires: ["c"]), stage("e"),
        ])
        #expect(results == ["a": .completed, "b": result, "c": .skipped, "d": .skipped, "e": .completed])
        #expect(executed.values == ["a", "b", "e"])
        #expect(log.values.isEmpty, "a failure in this run is no mistake in the pipeline")
    }

    @Test("is skipped with a warning when one is not registered")
    func notRegistered() async {
        #expect(await results([stage("a", requires: ["gone"])]) == ["a": .skipped])
        #expect(log.values.map { $0.contains(" action=a ") && $0.hasSuffix("registered\" requires=gone") } == [true])
    }

    @Test("is skipped with a warning when one was not eligible")
    func notEligible() async {
        #expect(
            await results([Stage(id: "no", condition: { false }), stage("a", requires: ["no"])]) == ["a": .skipped]
        )
        #expect(log.values.map { $0.contains("condition") && $0.hasSuffix(" requires=no") } == [true])
    }

    @Test("is skipped with a warning when one sorts later, or is the action itself")
    func sortsLater() async {
        let results = await results([stage("a", requires: ["b"]), stage("b"), stage("self", requires: ["self"])])
        #expect(results == ["a": .skipped, "b": .completed, "self": .skipped])
        #expect(log.values.map { $0.contains("priority") && $0.hasSuffix(" requires=b") } == [true, false])
        #expect(log.values.map { $0.contains("itself") && $0.hasSuffix(" requires=self") } == [false, true])
    }

    @Test("is treated the same by evaluate(), and counts as ended")
    @MainActor func evaluate() async {
        let pipeline = PipelineOrchestrator(logger: log.logger)
        pipeline.register([stage("a", .failed("broken")), stage("b", requires: ["a"]), stage("c")])
        #expect(await pipeline.evaluate() == [.failed("broken"), .skipped, .completed])
        #expect(executed.values == ["a", "c"])
        #expect(pipeline.eligibleCount == 3 && pipeline.completedCount == 3)
    }

    @Test("sees the results of earlier actions in the context")
    func resultsInContext() async {
        let seen = Record<[ActionResult?]>()
        let pipeline = PipelineOrchestrator()
        pipeline.register([
            stage("a", .failed("broken")), stage("b"),
            Stage(
                id: "c",
                body: { context in
                    seen.add(["a", "b", "c", "d"].map { context.result(of: $0) })
                    return .completed
                }
            ),
            stage("d"),
        ])
        _ = await pipeline.run()
        #expect(seen.values == [[.failed("broken"), .completed, nil, nil]])
    }
}

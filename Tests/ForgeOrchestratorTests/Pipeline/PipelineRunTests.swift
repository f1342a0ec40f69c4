import ForgeOrchestrator
import TestSupport
import Testing

@Suite("A pipeline run")
struct PipelineRunTests {
    @Test("reports every action's id, result, start and duration on the clock it was given")
    func report() async {
        let clock = TestClock()
        let pipeline = PipelineOrchestrator(clock: clock)
        pipeline.register([
            Stage(
                id: "late",
                priority: .low,
                body: { _ in
                    clock.advance(by: .seconds(2))
                    return .failed("broken")
                }
            ),
            Stage(id: "never", condition: { false }),
            Stage(
                id: "early",
                priority: .high,
                condition: {
                    clock.advance(by: .seconds(1))
                    return true
                },
                body: { _ in
                    clock.advance(by: .seconds(5))
                    return .skipped
                }
            ),
        ])
        let report = await pipeline.run()
        #expect(report.eligible == ["early", "late"])
        #expect(
            report.actions == [
                ActionReport(id: "early", result: .skipped, start: .seconds(1), duration: .seconds(5)),
                ActionReport(id: "late", result: .failed("broken"), start: .seconds(6), duration: .seconds(2)),
            ]
        )
        #expect(report.isFailed && !report.isCancelled)
        #expect(report.results == [.skipped, .failed("broken")])
        #expect(report.actions.map(\.isFailed) == [false, true])
    }

    @Test("goes on side by side with a thousand others, each in a context of its own")
    func manyAtOnce() async {
        let pipeline = PipelineOrchestrator()
        pipeline.register([
            Stage(
                id: "double",
                priority: .high,
                body: { context in
                    guard let seed: Int = context.get("seed") else { return .failed("no seed") }
                    await Task.yield()
                    context.set("doubled", seed * 2)
                    return .completed
                }
            ),
            Stage(
                id: "check",
                requires: ["double"],
                body: { context in
                    let seed: Int? = context.get("seed")
                    let doubled: Int? = context.get("doubled")
                    return doubled == seed.map { $0 * 2 } ? .completed : .failed("mixed up")
                }
            ),
        ])
        let failures = await withTaskGroup(of: PipelineReport.self) { group in
            for seed in 0..<1_000 {
                group.addTask { await pipeline.run(context: PipelineContext(["seed": seed])) }
            }
            return await group.filter { $0.results != [.completed, .completed] }.reduce(into: 0) { count, _ in
                count += 1
            }
        }
        #expect(failures == 0)
    }

    @Test("leaves the observable properties and the events alone, and does not keep evaluate() from running")
    @MainActor func independence() async {
        let gate = Turnstile()
        let pipeline = PipelineOrchestrator()
        pipeline.register(
            Stage(
                id: "slow",
                body: { context in
                    if context.get("slow") as Bool? == true { await gate.pass() }
                    return .completed
                }
            )
        )
        var events = pipeline.events.makeAsyncIterator()
        async let run = pipeline.run(context: PipelineContext(["slow": true]))
        await gate.reach(1)
        #expect(!pipeline.isProcessing && pipeline.currentActionId == nil && pipeline.eligibleCount == 0)
        #expect(await pipeline.evaluate() == [.completed])
        gate.open()
        #expect(await run.results == [.completed])
        #expect(pipeline.completedCount == 1 && pipeline.results == [.completed])
        #expect(await events.next() == .began(evaluation: 1))
    }

    @Test("tells each transition before the next step is taken")
    func transitions() async {
        let journal = Record<String>()
        let pipeline = PipelineOrchestrator(clock: TestClock())
        let body: @Sendable (PipelineContext) async -> ActionResult = { context in
            journal.add("body of \(context.currentActionID?.rawValue ?? "nobody")")
            return .completed
        }
        pipeline.register([Stage(id: "b", body: body), Stage(id: "a", priority: .high, body: body)])
        let context = PipelineContext()
        _ = await pipeline.run(context: context) { transition in
            // Whoever went on without waiting would overtake this.
            for _ in 0..<20 { await Task.yield() }
            switch transition {
            case .eligible(let ids): journal.add("eligible \(ids)")
            case .started(let id): journal.add("started \(id)")
            case .finished(let report): journal.add("finished \(report.id) \(context.result(of: report.id) == nil)")
            }
        }
        #expect(
            journal.values == [
                "eligible [a, b]", "started a", "body of a", "finished a false", "started b", "body of b",
                "finished b false",
            ]
        )
        #expect(context.currentActionID == nil)
    }

    @Test("starts no further action once its task is cancelled")
    func cancellation() async {
        let gate = Turnstile()
        let journal = Record<PipelineTransition>()
        let executed = Record<ActionID>()
        let pipeline = PipelineOrchestrator(clock: TestClock())
        pipeline.register([
            Stage(
                id: "first",
                body: { _ in
                    await gate.pass()
                    executed.add("first")
                    return .completed
                }
            ),
            Stage(
                id: "second",
                body: { _ in
                    executed.add("second")
                    return .completed
                }
            ),
            Stage(id: "third"),
        ])
        let run = Task { await pipeline.run { journal.add($0) } }
        await gate.reach(1)
        run.cancel()
        gate.open()
        let report = await run.value
        #expect(report.isCancelled && !report.isFailed)
        #expect(report.results == [.completed, .skipped, .skipped])
        #expect(executed.values == ["first"])
        #expect(journal.values.filter { if case .started = $0 { true } else { false } } == [.started("first")])
        let finished = journal.values.filter { if case .finished = $0 { true } else { false } }
        #expect(finished == report.actions.map { .finished($0) })
    }

    @Test("asks shouldRun(context:) with the seeds")
    func conditionOnContext() async {
        struct ForVIPs: PipelineAction {
            let id: ActionID = "vip"
            let priority: ActionPriority = .medium
            func shouldRun() async -> Bool { false }
            func shouldRun(context: PipelineContext) async -> Bool { context.get("vip") ?? false }
            func execute(context: PipelineContext) async -> ActionResult { .completed }
        }
        let pipeline = PipelineOrchestrator()
        pipeline.register(ForVIPs())
        #expect(await pipeline.run(context: PipelineContext(["vip": true])).eligible == ["vip"])
        #expect(await pipeline.run(context: PipelineContext(["vip": false])).eligible == [])
        #expect(await pipeline.run().eligible == [])
    }

    @Test("runs what was registered when it was called")
    func snapshot() async {
        let gate = Turnstile()
        let pipeline = PipelineOrchestrator()
        pipeline.register([
            Stage(
                id: "a",
                body: { _ in
                    await gate.pass()
                    return .completed
                }
            ), Stage(id: "b"),
        ])
        #expect(pipeline.registered.map(\.id) == ["a", "b"])
        async let run = pipeline.run()
        await gate.reach(1)
        pipeline.removeAll()
        gate.open()
        #expect(await run.eligible == ["a", "b"])
        #expect(pipeline.registered.isEmpty)
        #expect(await pipeline.run() == PipelineReport(eligible: [], actions: [], isCancelled: false))
    }

    @Test("runs what was registered when it was called, whoever calls it and whatever becomes of that before it begins")
    @MainActor func snapshotAtTheCall() async {
        let pipeline = PipelineOrchestrator()
        pipeline.register(Stage(id: "a"))
        let run = Task.immediate { await pipeline.run().eligible }
        let resumed = Task.immediate {
            await pipeline.run(resuming: PipelineResumption(eligible: ["a"], results: [:])).results
        }
        pipeline.removeAll()
        #expect(await run.value == ["a"])
        #expect(await resumed.value == [.completed])
    }

    @Test("forgets the results of an earlier run over the same context")
    func reusedContext() async {
        let seen = Record<ActionResult?>()
        let pipeline = PipelineOrchestrator()
        pipeline.register(
            Stage(
                id: "only",
                body: { context in
                    seen.add(context.result(of: "only"))
                    return .completed
                }
            )
        )
        let context = PipelineContext()
        _ = await pipeline.run(context: context)
        #expect(context.result(of: "only") == .completed)
        _ = await pipeline.run(context: context)
        #expect(seen.values == [nil, nil])
    }
}

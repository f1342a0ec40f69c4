import ForgeBusProtocol
import ForgeBusTesting
import ForgeBusWorker
import ForgeOrchestrator
import TestSupport
import Testing

@Suite("A gate in a test worker")
struct GateTests {
    private let clock = TestClock()

    @Test("of three days is approved, and another expires, to the millisecond and in no time")
    func threeDays() async throws {
        let began = ContinuousClock.now
        let record = Record<String>()
        let worker = try await TestWorker(pipelines: [deploying(clock, record)], clock: clock)

        let approved = try await worker.run("deploy", seeds: ["version": "42"])
        try await approved.expect(.waiting, for: "deploy.42.approve")
        await worker.whenOpen("deploy.42.approve", .approve(), after: day * 2)
        let expired = try await worker.run("deploy", seeds: ["version": "43"])
        try await worker.advance(by: day * 3 - .milliseconds(1))
        try await approved.expect(.completed, outputs: ["deployed": "42"])
        try await expired.expect(.waiting, for: "deploy.43.approve")
        try await worker.advance(by: .milliseconds(1))
        try await expired.expect(.failed, because: "expired")

        #expect(record.values == ["roll-out run-1-1/roll-out"])
        #expect(clock.now.elapsed == day * 3)
        #expect(try await expired.result().actions.map(\.duration) == [day * 3, .zero])
        // Milliseconds; an hour is so much that no busy machine fails it, and days of real waiting would.
        #expect(ContinuousClock.now - began < .seconds(3_600))
    }

    @Test("is decided by people on cue, each at a moment of theirs; the first wins")
    func people() async throws {
        let worker = try await TestWorker(pipelines: [deploying(clock)], clock: clock)
        await worker.whenOpen("deploy.*.approve", .reject("not on a Friday"), after: day)
        await worker.whenOpen("deploy.*.approve", .approve(["ticket": "OPS-1"]), after: .seconds(3600))
        try await worker.expectRun("deploy", seeds: ["version": "42"], .completed, within: day * 2)
        try await worker.advance(by: day * 2)

        let decisions = await worker.decisions
        #expect(decisions.map(\.elapsed) == [.seconds(3600), day])
        #expect(try decisions[0].verdict.get() == .delivered)
        guard case .conflict(let standing) = try decisions[1].verdict.get() else {
            Issue.record("\(decisions[1])")
            return
        }
        #expect(standing.decision == .approved)
        #expect(standing.unixMilliseconds == clock.unixMilliseconds + 3_600_000)
    }

    @Test("holds its rules: who may not decide, and who requested, is refused; without keys")
    func rules() async throws {
        let access = try AccessPolicy([
            AccessPolicy.Member("ci", may: [.run: ["deploy"], .complete: ["deploy.>"]]),
            AccessPolicy.Member("ada", may: [.complete: ["deploy.>"]]),
            AccessPolicy.Member("bob", may: [.complete: ["deploy.>"]]),
            AccessPolicy.Member("eve", may: [.run: ["feed"]]),
        ])
        let rule = GateRule(allowed: ["ada", "ci"], requesterMayDecide: false)
        let worker = try await TestWorker(pipelines: [deploying(clock, rule: rule)], access: access, clock: clock)
        let run = try await worker.run("deploy", seeds: ["version": "42"], by: "ci")

        for (principal, why) in [("bob", "principals"), ("ci", "requested")] {
            guard case .forbidden(let reason) = try await worker.complete("deploy.42.approve", by: principal) else {
                Issue.record("\(principal) decided")
                continue
            }
            #expect(reason.contains(why))
        }
        await #expect { try await worker.complete("deploy.42.approve", by: "eve") } throws: {
            ($0 as? BusError)?.code == .forbidden
        }
        await #expect { try await worker.run("deploy", seeds: ["version": "43"], by: "eve") } throws: {
            ($0 as? BusError)?.code == .forbidden
        }
        await #expect { try await worker.complete("deploy.42.approve") } throws: {
            ($0 as? BusError)?.message.contains("\"local\"") == true
        }
        try await run.expect(.waiting, for: "deploy.42.approve")
        #expect(try await worker.complete("deploy.42.approve", by: "ada") == .delivered)
        try await run.expect(.completed)
    }

    @Test("that an action opens beside other work is waited for only once that work has gone on")
    func besideOtherWork() async throws {
        let record = Record<String>()
        let pipeline = PipelineOrchestrator(clock: clock)
        pipeline.register(
            Step("both") { context in
                async let decision = context.gate("both.approve", deadline: day)
                for number in 1...100 {
                    await Task.yield()
                    if number == 100 { record.add("worked") }
                }
                guard case .approved? = try? await decision else { return .failed("no") }
                return .completed
            }
        )
        let worker = try await TestWorker(pipelines: [HostedPipeline("both", pipeline)], clock: clock)
        let run = try await worker.run("both")
        #expect(record.values == ["worked"])
        try await run.expect(.waiting, for: "both.approve")
        try await worker.complete("both.approve")
        try await run.expect(.completed)
    }

    @Test("outside of a bus gives an error that names the next move, and ends no process")
    func outsideOfABus() async throws {
        let pipeline = PipelineOrchestrator()
        pipeline.register(GateAction("gate", signal: "somewhere.approve"))
        pipeline.register(
            Step("signal") { context in
                do {
                    _ = try await context.signal("somewhere.done")
                    return .completed
                } catch {
                    return .failed("\(error)")
                }
            }
        )
        let results = await pipeline.run().results
        #expect(results.count == 2)
        for (result, kind) in zip(results, ["gate", "signal"]) {
            guard case .failed(let reason) = result else {
                Issue.record("\(result)")
                continue
            }
            #expect(reason.contains("The \(kind) \"somewhere."))
            #expect(reason.contains("import ForgeBusTesting"))
        }
    }
}

import Deploys
import ForgeBusTesting
import Testing

@Suite("A deployment")
struct DeploysTests {
    @Test("rolls out when somebody approves it within three days")
    func approved() async throws {
        let clock = TestClock()
        let worker = try await TestWorker(pipelines: [deployment(clock: clock)], clock: clock)
        await worker.whenOpen("deploy.42.approve", .approve(), after: .seconds(2 * 86_400))
        try await worker.expectRun(
            "deploy",
            seeds: ["version": "42"],
            .completed,
            outputs: ["deployed": "42"],
            within: .seconds(3 * 86_400)
        )
    }

    @Test("fails when nobody decides within three days")
    func expired() async throws {
        let clock = TestClock()
        let worker = try await TestWorker(pipelines: [deployment(clock: clock)], clock: clock)
        let run = try await worker.run("deploy", seeds: ["version": "42"])
        try await worker.advance(by: .seconds(3 * 86_400) - .milliseconds(1))
        try await run.expect(.waiting, for: "deploy.42.approve")
        try await worker.advance(by: .milliseconds(1))
        try await run.expect(.failed, because: "expired: the gate was not decided before its deadline")
    }
}

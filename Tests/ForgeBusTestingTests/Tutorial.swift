// The code of the tutorial, as it stands there: `TutorialTests` compares it, and runs it.
import ForgeBusProtocol
import ForgeBusTesting
import ForgeBusWorker
import ForgeOrchestrator
import Foundation
import TestSupport
import Testing

struct RollOut: PipelineAction {
    let id: ActionID = "roll-out"
    let priority: ActionPriority = .low
    let requires: Set<ActionID> = ["approve"]
    let clock: any Clock<Duration>

    func shouldRun() async -> Bool { true }

    func execute(context: PipelineContext) async -> ActionResult {
        guard let version: String = context.get("version") else { return .skipped }
        try? await clock.sleep(for: .seconds(600))
        context.set("deployed", version)
        return .completed
    }
}

func deployment(clock: any Clock<Duration> = ContinuousClock()) -> HostedPipeline {
    let deploy = PipelineOrchestrator(clock: clock)
    let rule = GateRule(allowed: ["ada"], requesterMayDecide: false)
    deploy.register([
        GateAction("approve", signal: "deploy.{seed.version}.approve", deadline: .seconds(3 * 86_400), rule: rule),
        RollOut(clock: clock),
    ])
    return HostedPipeline(
        "deploy",
        deploy,
        seeds: [.required("version", .string)],
        outputs: ["deployed"],
        policies: ["roll-out": ActionPolicy(attempts: 3, backoff: .seconds(30), onFailure: .park)]
    )
}

func makeWorker() async throws -> TestWorker {
    let clock = TestClock()
    let access = try AccessPolicy([
        AccessPolicy.Member("ci", may: [.run: ["deploy"], .complete: ["deploy.>"]]),
        AccessPolicy.Member("ada", may: [.complete: ["deploy.>"]]),
    ])
    return try await TestWorker(pipelines: [deployment(clock: clock)], access: access, clock: clock)
}

func isApproved() async throws {
    let worker = try await makeWorker()
    let run = try await worker.run("deploy", seeds: ["version": "42"], by: "ci")
    try await run.expect(.waiting, for: "deploy.42.approve")

    try await worker.advance(by: .seconds(2 * 86_400))
    try await worker.complete("deploy.42.approve", by: "ada")
    try await run.expect(.running)  // it rolls out, for ten minutes
    try await worker.advance(by: .seconds(600))
    try await run.expect(.completed, outputs: ["deployed": "42"])
}

func expires() async throws {
    let worker = try await makeWorker()
    try await worker.expectRun(
        "deploy",
        seeds: ["version": "42"],
        by: "ci",
        .failed,
        because: "expired",
        within: .seconds(3 * 86_400)
    )
}

func isApprovedByAnotherPerson() async throws {
    let worker = try await makeWorker()
    await worker.whenOpen("deploy.*.approve", .approve(), by: "ci", after: .seconds(60))
    await worker.whenOpen("deploy.*.approve", .approve(["ticket": "OPS-1"]), by: "ada", after: .seconds(3600))
    try await worker.expectRun("deploy", seeds: ["version": "42"], by: "ci", .completed, within: .seconds(86_400))

    let verdicts = try await worker.decisions.map { try $0.verdict.get() }
    guard case .forbidden = verdicts[0], verdicts[1] == .delivered else { throw Unexpected(verdicts: verdicts) }
}

struct Unexpected: Error {
    let verdicts: [Verdict]
}

func survives() async throws {
    let worker = try await makeWorker()
    await worker.whenOpen("deploy.*.approve", .approve(), by: "ada")
    await worker.fail("roll-out", times: 2, reason: "no route to the cluster")
    await worker.crash(.after("roll-out"))
    try await worker.expectRun(
        "deploy",
        seeds: ["version": "42"],
        by: "ci",
        .completed,
        outputs: ["deployed": "42"],
        within: .seconds(3600)
    )
}

func parks() async throws {
    let worker = try await makeWorker()
    await worker.whenOpen("deploy.*.approve", .approve(), by: "ada")
    await worker.fail("roll-out", times: 3, reason: "disk full")
    try await worker.expectRun(
        "deploy",
        seeds: ["version": "42"],
        by: "ci",
        .parked,
        because: "disk full",
        within: .seconds(3600)
    )
}

func check(_ expectation: () async throws -> Void) async rethrows {
    do {
        try await expectation()
    } catch let failure as ExpectationFailure {
        let place = SourceLocation(
            fileID: failure.fileID,
            filePath: failure.filePath,
            line: failure.line,
            column: failure.column
        )
        Issue.record(failure, sourceLocation: place)
    }
}

@Suite("The tutorial")
struct TutorialTests {
    @Test("does what it says")
    func runs() async throws {
        try await isApproved()
        try await expires()
        try await isApprovedByAnotherPerson()
        try await survives()
        try await parks()
        try await check { try await expires() }
    }

    @Test("is the code of this file")
    func isThisFile() throws {
        let path = "Sources/ForgeBusTesting/ForgeBusTesting.docc/TestingYourActions.md"
        let article = try Repository.text(of: path)
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let blocks = article.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        #expect(blocks.count == 6)
        for block in blocks {
            let code = block.split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.hasPrefix("import ") }.joined(separator: "\n").trimmingCharacters(in: .newlines)
            #expect(source.contains(code), "\(path) says something else: \(code.prefix(60))")
        }
    }
}

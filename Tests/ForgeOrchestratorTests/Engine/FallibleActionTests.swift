import ForgeOrchestrator
import TestSupport
import Testing

private struct NoDisk: Error, CustomStringConvertible {
    let description = "no disk"
}

/// Has a function of the same name for itself, as an action that was written for the original may.
private struct OwnRun: MonitorAction, SequenceAction {
    let id: ActionID = "own"
    let priority = ActionPriority.medium
    let journal: Record<String>

    func shouldRun() async -> Bool { true }
    func execute() async { journal.add("execute") }
    func run() async -> ActionResult {
        journal.add("run")
        return .failed("nobody called this")
    }
}

/// Implements both: the orchestrator calls only one.
private struct Both: MonitorAction, SequenceAction, FallibleAction {
    let id: ActionID = "both"
    let priority = ActionPriority.medium
    let journal: Record<String>

    func shouldRun() async -> Bool { true }
    func execute() async { journal.add("execute") }
    func run() async throws -> ActionResult {
        journal.add("run")
        throw NoDisk()
    }
}

@MainActor
@Suite("An action that may fail")
struct FallibleActionTests {
    private let journal = Record<String>()
    private let log = Record<String>()

    @Test("shows its failure in a sequence's events and log, and the next action runs")
    func sequence() async {
        let sequence = SequenceOrchestrator(logger: log.logger, clock: TestClock())
        sequence.register([
            FallibleStep(id: "throws", body: { throw NoDisk() }),
            FallibleStep(id: "fails", body: { .failed("no answer") }),
            FallibleStep(id: "skips", body: { .skipped }),
            FallibleStep(id: "works", body: { .completed }),
        ])
        sequence.register(Step(id: "plain"))
        let events = sequence.events
        #expect(await sequence.evaluate() == ["throws", "fails", "skips", "works", "plain"])
        var results: [ActionID: ActionResult] = [:]
        for await event in events {
            if case .finished(let report) = event { results[report.id] = report.result }
            if case .ended = event { break }
        }
        #expect(
            results == [
                "throws": .failed("no disk"), "fails": .failed("no answer"), "skips": .skipped, "works": .completed,
                "plain": .completed,
            ]
        )
        #expect(
            log.values.map { $0.split(separator: " ").suffix(3) } == [
                ["action=throws", "reason=no", "disk"], ["action=fails", "reason=no", "answer"],
            ]
        )
    }

    @Test("shows its failure in a monitor's cycle")
    func monitor() async throws {
        let monitor = MonitorOrchestrator()
        monitor.register(Both(journal: journal))
        guard case .ran(let cycle) = try await monitor.nextCycle() else { return }
        #expect(cycle.actions.map(\.result) == [.failed("no disk")] && journal.values == ["run"])
    }

    @Test("is asked to run, and not to execute")
    func both() async {
        let sequence = SequenceOrchestrator(logger: log.logger)
        sequence.register(Both(journal: journal))
        await sequence.evaluate()
        #expect(journal.values == ["run"])
    }

    @Test("is another kind than one that has a run() for itself, which executes")
    func ownRun() async throws {
        let monitor = MonitorOrchestrator()
        monitor.register(OwnRun(journal: journal))
        guard case .ran(let cycle) = try await monitor.nextCycle() else { return }
        #expect(!cycle.isFailed && journal.values == ["execute"])
        let sequence = SequenceOrchestrator()
        sequence.register(OwnRun(journal: journal))
        await sequence.evaluate()
        #expect(journal.values == ["execute", "execute"])
    }

    @Test("runs also where somebody else executes it")
    func executed() async {
        await FallibleStep(
            id: "a",
            body: { [journal] in
                journal.add("run")
                throw NoDisk()
            }
        ).execute()
        #expect(journal.values == ["run"])
    }
}

import ForgeBusWorker
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusConfiguration

@Suite("A condition", .timeLimit(.minutes(30)))
struct ConditionTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("says yes with 0 and no with 1; anything else is logged and counts as no")
    func answers() async {
        let log = Record<String>()
        func holds(_ script: String, _ limit: Duration = .seconds(60)) async -> Bool {
            let command = Command.shell(script, in: directory, timeLimit: limit)
            return await CommandCondition(command: command, limit: ConditionLimit(1), logger: log.logger).holds()
        }
        #expect(await holds("exit 0"))
        #expect(await !holds("exit 1"))
        #expect(log.values.isEmpty)
        #expect(await !holds("echo no idea >&2; exit 2"))
        #expect(await !holds("exit 75"))
        #expect(await !holds("sleep 600", .milliseconds(20)))
        #expect(log.values.count == 3)
        let message = Errors.unclearCondition(hasExited: true, isCancelled: false, countsAs: "no")
        let reason = "\(Errors.ending(.exited(2))): no idea"
        #expect(log.values.first == "\(message) action= command=/bin/sh counts_as=no reason=\(reason)")
    }

    @Test("is one of at most 16 that are asked at once in the process")
    func limit() async throws {
        let events = try Fifo("events", in: directory).talk()
        let go = try Fifo("go", in: directory).talk()
        let script = "printf s > events; head -c 1 < go > /dev/null; printf e > events; exit 1"
        let actions = (1...40).map { "      - {id: a\($0), when: [/bin/sh, -c, '\(script)'], run: [\"true\"]}" }
        let yaml = "monitors:\n  many:\n    topics: [a]\n    actions:\n" + actions.joined(separator: "\n")
        let monitor = try #require(try WorkerFile(yaml, in: directory).monitors.first).orchestrator
        async let outcome = monitor.nextCycle()
        var running = 0
        var most = 0
        for count in 1...80 {
            let isStart = await events.next() == UInt8(ascii: "s")
            running += isStart ? 1 : -1
            most = max(most, running)
            // One may end when the house is full, and one more for each that ended.
            if count == 16 || !isStart { go.say(UInt8(ascii: "g")) }
        }
        #expect(most == 16)
        #expect(try await outcome == .ran(MonitorCycle(number: 1, actions: [])))
        events.end()
        go.end()
    }

    @Test("that waits in line gives up when its task is cancelled")
    func cancelledInLine() async throws {
        let limit = ConditionLimit(1)
        let entered = CompletionSignal()
        let leave = CompletionSignal()
        let first = Task {
            try await limit.run {
                entered.complete()
                await leave.wait()
            }
        }
        await entered.wait()
        let second = Task { try await limit.run { Issue.record("It ran.") } }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        leave.complete()
        try await first.value
        // The place is free again, and stays free.
        for _ in 1...3 { try await limit.run {} }
    }

    @Test("of a gate opens it unless it says no")
    func gate() async throws {
        let log = Record<String>()
        let command = { Command.shell($0, in: directory) }
        for (script, isNeeded) in [("exit 0", true), ("exit 1", false), ("exit 2", true), ("kill -9 $$", true)] {
            let condition = CommandCondition(command: command(script), limit: ConditionLimit(1), logger: log.logger)
            #expect(await condition.isNotDenied(input: [], variables: [:]) == isNeeded, "\(script)")
        }
        #expect(log.values.map { $0.contains("counts_as=yes") } == [true, true])
    }
}

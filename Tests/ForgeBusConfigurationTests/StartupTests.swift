import ForgeOrchestrator
import Synchronization
import TestSupport
import Testing

@testable import ForgeBusConfiguration

@Suite("A startup action")
struct StartupTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("runs once when it succeeds or is skipped, and not at all when its condition says no")
    func once() async throws {
        let yaml = """
            startup:
              - {id: first, run: [/bin/sh, -c, 'echo first >> log']}
              - {id: second, run: [/bin/sh, -c, 'echo second >> log; exit 75']}
              - {id: third, when: ["false"], run: [/bin/sh, -c, 'echo third >> log']}
              - {id: urgent, priority: critical, run: [/bin/sh, -c, 'echo "$FORGE_ACTION" >> log']}
            """
        let startup = try #require(try WorkerFile(yaml, in: directory).startup)
        #expect(await startup.evaluate() == ["urgent", "first", "second"])
        #expect(try directory.text("log") == "urgent\nfirst\nsecond\n")
    }

    @Test("that fails is run again, with pauses from 1 s doubling to 60 s, until it succeeds")
    func again() async throws {
        let log = Record<String>()
        let clock = HastyClock()
        let script = "echo x >> tries; test $(wc -l < tries) -ge 9 || { echo not yet >&2; exit 1; }"
        let action = CommandStartupAction(
            id: "migrate",
            priority: .medium,
            command: .shell(script, in: directory),
            condition: nil,
            logger: log.logger,
            clock: clock
        )
        await action.execute()
        #expect(clock.slept == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        #expect(log.values.count == 8)
        #expect(
            log.values[0]
                == "a startup action failed and runs again after `pause`; the worker accepts no runs and notifications "
                + "until the action succeeds: see in `reason` what to correct action=migrate pause=1.0 seconds "
                + "reason=exit status 1: not yet"
        )
    }

    @Test("ends when its task is cancelled")
    func cancelled() async throws {
        let began = try Fifo("began", in: directory)
        let command = Command.shell("echo . > began; sleep 600", in: directory)
        let action = CommandStartupAction(
            id: "wait",
            priority: .medium,
            command: command,
            condition: nil,
            logger: .silent
        )
        let task = Task { await action.execute() }
        #expect(await began.readToEnd() == ".\n")
        task.cancel()
        await task.value
    }
}

/// A clock on which sleeping takes no time, and is remembered.
private final class HastyClock: Clock, Sendable {
    private let sleeps = Mutex<[Duration]>([])

    var slept: [Duration] { sleeps.withLock { $0 } }
    var now: ContinuousClock.Instant { ContinuousClock.now }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        sleeps.withLock { $0.append(.seconds((ContinuousClock.now.duration(to: deadline) / .seconds(1)).rounded(.up))) }
    }
}

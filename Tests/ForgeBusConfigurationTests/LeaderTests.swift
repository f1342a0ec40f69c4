import Foundation
import TestSupport
import Testing

@testable import ForgeBusConfiguration

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite("The leader of a command", .timeLimit(.minutes(30)))
struct LeaderTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("is this program, started again")
    func program() { #expect(Leader.program != nil) }

    @Test("kills its group when the worker is no more, also what ignores every signal")
    func workerGone() async throws {
        let alive = try Fifo("alive", in: directory)
        let script = "exec 3> alive; trap '' TERM HUP INT; sh -c 'sleep 600 & echo began >&3; wait' & wait"
        let led = try LedProcess(script, in: directory)
        try led.begin()
        let pipe = await alive.waitForWriter()
        #expect(await pipe.next() == UInt8(ascii: "b"))
        let number = led.number
        led.letGo()
        #expect(await pipe.readToEnd() == "egan\n")
        var status: Int32 = 0
        waitpid(number, &status, 0)
        #expect(status == SIGKILL)
    }

    @Test("kills a command that has left its group, when the worker is no more")
    func commandLeftGroup() async throws {
        let alive = try Fifo("alive", in: directory)
        let led = try LedProcess("exec 3> alive; echo began >&3; exec setsid sleep 600", in: directory)
        try led.begin()
        let pipe = await alive.waitForWriter()
        #expect(await pipe.next() == UInt8(ascii: "b"))
        let number = led.number
        led.letGo()
        #expect(await pipe.readToEnd() == "egan\n")
        var status: Int32 = 0
        waitpid(number, &status, 0)
    }

    @Test("ends without a command when the worker is no more before it said that it is to begin")
    func neverBegun() async throws {
        let led = try LedProcess("touch began", in: directory)
        let number = led.number
        led.letGo()
        var status: Int32 = 0
        waitpid(number, &status, 0)
        #expect(!directory.has("began"))
    }

    @Test("stays until its command has ended, whatever signals its group gets")
    func staysUntilEnd() async throws {
        let led = try LedProcess("kill -TERM $PPID; trap 'exit 3' USR1; kill -USR1 0; exit 4", in: directory)
        try led.begin()
        #expect(led.status() == 3 << 8)
    }

    @Test("leaves a command nothing but its three descriptors, and every signal as the system has it")
    func inheritance() async throws {
        // A worker ignores it, and what is ignored is inherited.
        signal(SIGPIPE, SIG_IGN)
        let descriptors = await Command(["/bin/ls", "/proc/self/fd"], in: directory).run()
        // The last one is the directory that is being read.
        #expect(descriptors.text == "0\n1\n2\n3\n")
        let script = "s/Sig(Blk|Ign):.//p"
        let signals = await Command(["/bin/sed", "-nE", script, "/proc/self/status"], in: directory).run()
        // Above them are those that a C library keeps for itself.
        let masks = signals.text.split(separator: "\n").compactMap { UInt64($0, radix: 16) }
        #expect(masks.map { $0 & 0x7FFF_FFFF } == [0, 0])
        #expect(await Command.shell("yes | true; exit 5", in: directory).run().ending == .exited(5))
    }

    @Test("tells a command that a signal ended from one that exits", arguments: [SIGTERM, SIGSEGV, SIGUSR1, SIGKILL])
    func signalled(_ number: Int32) async {
        let killed = await Command.shell("kill -\(number) $$", in: directory).run()
        #expect(killed.ending == .signalled(number))
        #expect(await Command.shell("exit \(128 + number)", in: directory).run().ending == .exited(128 + number))
    }

    @Test("ends a command in time that has left its group")
    func setsid() async throws {
        let alive = try Fifo("alive", in: directory).openAhead()
        let script = "exec 3> alive; exec sleep 600"
        var command = Command(["setsid", "/bin/sh", "-c", script], in: directory, timeLimit: .milliseconds(300))
        command.grace = .milliseconds(50)
        #expect(await command.run().ending == .overdue(.milliseconds(300)))
        #expect(await alive.readToEnd() == "")
    }
}

@Suite("What is kept of commands that execute", .timeLimit(.minutes(30)))
struct CommandBookTests {
    let directory: TemporaryDirectory
    private let log = Record<String>()

    init() throws { directory = try TemporaryDirectory() }

    private func book() -> CommandBook {
        let book = CommandBook(logger: log.logger)
        book.open(at: directory.file("commands"))
        return book
    }

    /// Has a leader with a command that holds the pipe `name` open, killed so that the command is left.
    private func leave(_ name: String, token: String) async throws -> (group: pid_t, pipe: PipeEnd, start: UInt64) {
        let alive = try Fifo(name, in: directory)
        let script = "exec 3> \(name); trap '' HUP; sh -c 'sleep 600 & echo began >&3; wait' & wait"
        let led = try LedProcess(script, in: directory, token: token)
        let start = try #require(ProcessTable.process(led.number)?.start)
        try led.begin()
        let pipe = await alive.waitForWriter()
        #expect(await pipe.next() == UInt8(ascii: "b"))
        kill(led.number, SIGKILL)
        _ = led.status()
        return (led.number, pipe, start)
    }

    private func keep(_ entries: [(group: pid_t, start: UInt64, boot: String, token: String)]) throws {
        let slots = entries.map { "\($0.group) \($0.start) \($0.boot) \($0.token) .".padding(512) }
        try directory.write(slots.joined(), to: "commands")
    }

    @Test("has the next worker end what is left, and only that")
    func ended() async throws {
        let boot = try #require(ProcessTable.boot)
        let left = try await leave("left", token: "run-1/work")
        let others = [
            try await leave("token", token: "run-2/work"), try await leave("boot", token: "run-3/work"),
            try await leave("start", token: "run-4/work"), try await leave("cut", token: "run-5/work"),
        ]
        try keep([
            (left.group, left.start, boot, "run-1/work"),
            (others[0].group, others[0].start, boot, "run-2/wor"),
            (others[1].group, others[1].start, "another", "run-3/work"),
            // Started before the one that was kept: it cannot be what that left.
            (others[2].group, others[2].start + 1_000_000, boot, "run-4/work"),
            (0, left.start, boot, "run-1/work"), (1, left.start, boot, "run-1/work"),
        ])
        let text = try directory.text("commands")
        try directory.write(text + "\(others[3].group) \(others[3].start) \(boot) run-5/work", to: "commands")
        _ = book()
        #expect(await left.pipe.readToEnd() == "egan\n")
        #expect(
            log.values == ["\(Errors.leftover) forge_token=run-1/work process_group=\(left.group)"]
        )
        for other in others {
            #expect(kill(-other.group, 0) == 0)
            kill(-other.group, SIGKILL)
            #expect(await other.pipe.readToEnd() == "egan\n")
        }
        #expect(try directory.text("commands") == "")
    }

    @Test("has a leader ended that was stopped, and so did not end with its worker")
    func stopped() async throws {
        let alive = try Fifo("alive", in: directory).openAhead()
        let led = try LedProcess("exec 3> alive; sleep 600", in: directory, token: "run-1/work")
        let number = led.number
        kill(number, SIGSTOP)
        var status: Int32 = 0
        waitpid(number, &status, WUNTRACED)
        do {
            let earlier = book()
            #expect(earlier.enter(leader: number, token: "run-1/work") == 0)
        }
        led.letGo()
        let next = book()
        waitpid(number, &status, 0)
        #expect(status == SIGKILL)
        #expect(next.enter(leader: number, token: "run-1/work") == nil, "it is no more")
        alive.end()
    }

    @Test("is a slot for each command that executes, and none for one that has no token")
    func slots() async throws {
        let kept = book()
        var command = Command.shell("printf %s \"$(tr -d '\\0' < commands | cut -d ' ' -f 4)\"", in: directory)
        command.book = kept
        #expect(await command.run(variables: ["FORGE_TOKEN": "run-1/work"]).text == "run-1/work")
        #expect(await command.run(variables: ["FORGE_TOKEN": "run-2/work"]).text == "run-2/work")
        #expect(await command.run().text == "")
        #expect(try directory.text("commands").count == 512)
        #expect(kept.enter(leader: getpid(), token: "run-3/" + String(repeating: "a", count: 512)) == nil)
    }
}

extension String {
    fileprivate func padding(_ size: Int) -> String { self + String(repeating: "\0", count: size - utf8.count) }
}

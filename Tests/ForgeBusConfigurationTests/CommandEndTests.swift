import Foundation
import TestSupport
import Testing

@testable import ForgeBusConfiguration

@Suite("A command that has to end", .timeLimit(.minutes(30)))
struct CommandEndTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("is killed when it ignores the signal to terminate")
    func ignoresTerminate() async throws {
        let alive = try Fifo("alive", in: directory).openAhead()
        // The ignored signal is inherited by what the shell becomes.
        let script = "exec 3> alive; trap '' TERM; exec sleep 600"
        var command = Command.shell(script, in: directory, timeLimit: .milliseconds(300))
        command.grace = .milliseconds(50)
        let result = await command.run()
        #expect(result.ending == .overdue(.milliseconds(300)))
        #expect(result.actionResult == .failed(Errors.ending(.overdue(.milliseconds(300)))))
        // The pipe ends when the last process that has it is gone.
        #expect(await alive.readToEnd() == "")
    }

    @Test("takes its grandchildren with it, also those that ignore the signal to terminate")
    func grandchildren() async throws {
        let alive = try Fifo("alive", in: directory)
        let script = "exec 3> alive; sh -c 'trap \"\" TERM; echo began >&3; sleep 600' & wait"
        let task = Task { [directory] in await Command.shell(script, in: directory).run() }
        let pipe = await alive.waitForWriter()
        #expect(await pipe.next() == UInt8(ascii: "b"))
        task.cancel()
        #expect(await task.value.ending == .cancelled)
        #expect(await pipe.readToEnd() == "egan\n")
    }

    @Test("is not waited for by way of a grandchild that holds its output")
    func grandchildHoldsOutput() async throws {
        let alive = try Fifo("alive", in: directory).openAhead()
        let result = await Command.shell("exec 3> alive; sleep 600 & echo done", in: directory).run()
        #expect(result.ending == .exited(0))
        #expect(result.text == "done\n")
        // What it left behind in its group is killed.
        #expect(await alive.readToEnd() == "")
    }

    @Test("is not waited for by way of one that left its group")
    func grandchildLeftGroup() async throws {
        let go = try Fifo("go", in: directory)
        let script = "setsid sh -c 'read line < go' & echo done"
        let result = await Command.shell(script, in: directory).run()
        #expect(result.text == "done\n")
        let talk = go.talk()
        talk.say(0x0A)
        talk.end()
    }

    @Test("is not read for ever by way of one that left its group and writes on")
    func grandchildWritesOn() async {
        let result = await Command.shell("setsid yes >&2 & echo done", in: directory).run()
        #expect(result.ending == .exited(0))
        #expect(result.text == "done\n")
    }

    @Test("tells all it wrote before it ended", arguments: [1, 65_536, 65_537, 200_000])
    func everything(_ count: Int) async {
        let result = await Command.shell("head -c \(count) /dev/zero; echo last >&2; exit 1", in: directory).run()
        #expect(result.output.sizeInBytes == count)
        #expect(result.errors.lastLine == "last")
    }

    @Test("has the grace to clean up when its task is cancelled")
    func cancelled() async throws {
        let ready = try Fifo("ready", in: directory)
        // The child is told apart from the shell: what the group gets, both get.
        let script = """
            trap 'head -c 200000 /dev/zero; echo cleaned >&2; touch cleaned; exit 0' TERM
            sleep 600 & echo ready > ready; wait
            """
        let task = Task { [directory] in
            var command = Command.shell(script, in: directory)
            command.grace = .seconds(60)
            return await command.run()
        }
        #expect(await ready.readToEnd() == "ready\n")
        task.cancel()
        let result = await task.value
        #expect(result.ending == .cancelled)
        #expect(result.errors.lastLine == "cleaned")
        #expect(result.output.sizeInBytes == 200_000)
        #expect(directory.has("cleaned"))
    }

    @Test("does not start in a task that is cancelled already")
    func cancelledBefore() async {
        let task = Task { [directory] in
            withUnsafeCurrentTask { $0?.cancel() }
            return await Command.shell("touch started", in: directory).run()
        }
        #expect(await task.value.ending == .cancelled)
        #expect(!directory.has("started"))
    }

    @Test("is read once more after its end, and not for ever")
    func lastRead() async {
        let read = await Task {
            var read: [Int] = []
            await OutputReader.read(Endless()) { chunk in
                read.append(chunk)
                return true
            }
            return read
        }.value
        #expect(read == [1, 2, 3])
    }
}

/// Counts for ever, and cancels whoever reads it with its second number.
private struct Endless: AsyncSequence, AsyncIteratorProtocol {
    private var count = 0

    mutating func next() async -> Int? {
        count += 1
        if count == 2 { withUnsafeCurrentTask { $0?.cancel() } }
        return count
    }

    func makeAsyncIterator() -> Endless { self }
}

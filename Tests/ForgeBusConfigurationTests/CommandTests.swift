import Foundation
import TestSupport
import Testing

@testable import ForgeBusConfiguration

@Suite("A command")
struct CommandTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("is told by its exit status", arguments: [0, 1, 75, 127, 255])
    func exitStatus(_ status: Int32) async {
        let result = await Command.shell("exit \(status)", in: directory).run()
        #expect(result.ending == .exited(status))
    }

    @Test("completes, is skipped or fails")
    func actionResults() async {
        #expect(await Command.shell("exit 0", in: directory).run().actionResult == .completed)
        #expect(await Command.shell("exit 75", in: directory).run().actionResult == .skipped)
        #expect(await Command.shell("exit 3", in: directory).run().actionResult == .failed(Errors.ending(.exited(3))))
        #expect(
            await Command.shell("echo one >&2; echo two >&2; echo >&2; exit 4", in: directory).run().actionResult
                == .failed("\(Errors.ending(.exited(4))): two")
        )
        #expect(await Command.shell("kill -9 $$", in: directory).run().ending == .signalled(9))
    }

    @Test("reads its input to the end, however long it is, or not at all")
    func input() async {
        let long = [UInt8](repeating: 0x61, count: 300_000)
        #expect(await Command(["cat"], in: directory).run(input: Array("hello".utf8)).text == "hello")
        #expect(await Command(["wc", "-c"], in: directory).run(input: long).text.contains("300000"))
        #expect(await Command(["true"], in: directory).run(input: long).ending == .exited(0))
        #expect(await Command(["cat"], in: directory).run().output.bytes.isEmpty)
    }

    @Test("has exactly the environment it is given")
    func environment() async {
        let command = Command(["/usr/bin/env"], in: directory, environment: ["A": "1", "PATH": "/bin"])
        let result = await command.run(variables: ["FORGE_RUN": "run-1"])
        #expect(Set(result.text.split(separator: "\n")) == ["A=1", "PATH=/bin", "FORGE_RUN=run-1"])
    }

    @Test("gets its arguments as they stand, whatever a shell would do with them")
    func arguments() async {
        let result = await Command(["printf", "%s|", "$HOME", "a b", "*", "{seed.x}", ""], in: directory).run()
        #expect(result.text == "$HOME|a b|*|{seed.x}||")
    }

    @Test("runs in the directory, where a path with a slash is looked for")
    func workingDirectory() async throws {
        try directory.script("here", "pwd -P; cat note")
        try directory.write("found", to: "note")
        let result = await Command(["./here"], in: directory).run()
        let real = URL(fileURLWithPath: directory.path).resolvingSymlinksInPath().path
        #expect(result.text == "\(real)\nfound")
    }

    @Test("is looked up in the PATH it is given if it has no slash")
    func lookup() async throws {
        try directory.script("only-here", "echo it ran")
        let missing = await Command(["only-here"], in: directory).run()
        guard case .notStarted = missing.ending else {
            Issue.record("\(missing.ending)")
            return
        }
        let found = await Command(["only-here"], in: directory, environment: ["PATH": directory.path]).run()
        #expect(found.text == "it ran\n")
    }

    @Test("that cannot be started says why")
    func notStarted() async throws {
        try directory.write("no program", to: "plain")
        for program in ["./absent", "./plain", "/", "absent"] {
            let ending = await Command([program], in: directory).run().ending
            guard case .notStarted(let reason) = ending else {
                Issue.record("\(ending)")
                continue
            }
            #expect(reason.contains("\(program.dropFirst(2))\""))
        }
        try directory.script("odd", "")
        try FileHandle(forWritingTo: URL(fileURLWithPath: directory.file("odd"))).write(contentsOf: [1, 2, 3])
        let odd = await Command(["./odd"], in: directory).run().ending
        guard case .notStarted(let reason) = odd else {
            Issue.record("\(odd)")
            return
        }
        #expect(reason.contains(String(cString: strerror(ENOEXEC))))
        let lost = Command(arguments: ["true"], directory: "/absent", environment: [:], timeLimit: .seconds(60))
        #expect(await lost.run().reason.contains("/absent"))
    }

    @Test("writes at most 1 MiB of JSON")
    func documentLimit() async {
        let most = Command.largestDocumentInBytes
        let full = await Command.shell("echo; echo '{'; head -c \(most - 3) /dev/zero", in: directory).run()
        #expect(full.ending == .exited(0))
        #expect(full.output.isDocument && full.output.bytes.count == most)
        let endless = await Command.shell("echo '{'; yes", in: directory).run()
        #expect(endless.ending == .tooLargeDocument)
        #expect(endless.reason == Errors.ending(.tooLargeDocument))
    }

    @Test(
        "may write text of any length: its end is kept, and its size known",
        arguments: [0, 1, 65_536, 65_537, 3_000_000]
    )
    func textOfAnyLength(_ count: Int) async {
        let result = await Command.shell("head -c \(count) /dev/zero; printf '{\"a\":1}\\n'", in: directory).run()
        #expect(result.ending == .exited(0))
        #expect(result.output.sizeInBytes == count + 8)
        #expect(result.output.isDocument == (count == 0))
        #expect(result.output.bytes.count == min(count + 8, 65_536))
        #expect(result.output.bytes.suffix(8).elementsEqual("{\"a\":1}\n".utf8))
    }

    @Test("is blamed with its last line: of standard error, or else of standard output")
    func lastLines() async {
        func reason(_ script: String) async -> String { await Command.shell(script, in: directory).run().reason }
        let ending = Errors.ending(.exited(3))
        #expect(await reason("echo working; echo 'no disk' >&2; exit 3") == "\(ending): no disk")
        #expect(await reason("echo working; echo; exit 3") == "\(ending): working")
        #expect(await reason("echo '{\"a\":1}'; exit 3") == ending)
    }

    @Test("may complain at any length: the last line is told")
    func errorTail() async {
        let result = await Command.shell("yes | head -c 900000 >&2; echo the end >&2; exit 2", in: directory).run()
        #expect(result.actionResult == .failed("\(Errors.ending(.exited(2))): the end"))
    }

    @Test("tells its last line without control characters, cut to 500")
    func errorLine() {
        #expect(ErrorText.lastLine(of: Array("a\u{1B}[31mred\u{7}\n \n".utf8)) == "a [31mred")
        #expect(ErrorText.lastLine(of: Array("\n \r\n".utf8)) == nil)
        #expect(ErrorText.lastLine(of: Array(String(repeating: "é", count: 600).utf8))?.count == 501)
        #expect(ErrorText.lastLine(of: [0xFF, 0x61]) == "\u{FFFD}a")
    }
}

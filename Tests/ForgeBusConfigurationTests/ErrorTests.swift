import Foundation
import Testing

@testable import ForgeBusConfiguration

/// A file with one thing wrong.
///
/// The place where the error must point is marked with `§`, which is not part of the file.
struct BadFile: CustomTestStringConvertible {
    let code: ConfigurationError.Code
    let key: String?
    /// What the sentence must contain.
    let says: String
    let marked: String

    init(_ code: ConfigurationError.Code, _ key: String?, _ says: String, _ marked: String) {
        self.code = code
        self.key = key
        self.says = says
        self.marked = marked
    }

    var testDescription: String { "\(code.rawValue) \(key ?? "") \(says)" }

    var text: String { marked.replacing("§", with: "") }

    var position: (line: Int, column: Int) {
        let before = marked.prefix { $0 != "§" }.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return (before.count, before[before.count - 1].unicodeScalars.count + 1)
    }

    /// A pipeline with these actions and, if given, seeds.
    static func pipeline(_ code: ConfigurationError.Code, _ key: String, _ says: String, _ actions: String) -> BadFile {
        let actions = actions.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
        let head = "pipelines:\n  p:\n    seeds: {v: {type: string}, list: {type: array}}\n    actions:\n"
        return BadFile(code, "pipelines.p.\(key)", says, head + actions + "\n")
    }
}

@Suite("An error in a file")
struct ErrorTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("names line, column and key, and says what is expected", arguments: BadFile.all)
    func table(_ bad: BadFile) throws {
        let error = #expect(throws: ConfigurationError.self) { try WorkerFile(bad.text, in: directory) }
        guard let error else { return }
        #expect(error.code == bad.code, "\(error)")
        #expect(error.file == "worker.yaml")
        #expect(error.line == bad.position.line, "\(error)")
        #expect(error.column == bad.position.column, "\(error)")
        #expect(error.key == bad.key, "\(error)")
        #expect(error.message.contains(bad.says), "\(error)")
        #expect(!error.next.isEmpty)
        #expect(error.others.isEmpty, "\(error)")
    }

    @Test("stands with all others, in the order of the file, one line each")
    func all() throws {
        let yaml = """
            monitors:
              m:
                topic: [a]
                actions:
                  - id: x
                    run: []
            worker:
              drain_ms: soon
            """
        let error = #expect(throws: ConfigurationError.self) { try WorkerFile(yaml, in: directory) }
        #expect(
            error?.description == """
                worker.yaml:3:5: monitors.m.topic: "topic" is not a key of a monitor. Did you mean `topics`? The possible keys are topics, \
                interval_ms, minimum_gap_ms, debounce, time_limit_ms, excluded_screens, machine, actions.
                worker.yaml:3:5: monitors.m: The key `topics` is missing: a monitor follows at least one topic. Add the key here.
                worker.yaml:6:14: monitors.m.actions[0].run: Expected a list of a program and its arguments, found an empty \
                list. Write at least one entry.
                worker.yaml:8:13: worker.drain_ms: Expected an integer from 0 to 86400000, found the text "soon". Write an \
                integer from 0 to 86400000.
                """
        )
    }

    @Test("of an action does not make another one of the action that requires it")
    func required() throws {
        let yaml = """
            pipelines:
              deploy:
                actions:
                  - {id: approve, gate: "deploy/approve"}
                  - {id: rollout, requires: [approve], run: [x]}
            """
        let error = #expect(throws: ConfigurationError.self) { try WorkerFile(yaml, in: directory) }
        #expect(error?.key == "pipelines.deploy.actions[0].gate")
        #expect(error?.others.isEmpty == true, "\(String(describing: error))")
    }

    @Test("says why a file cannot be read")
    func unreadable() throws {
        func error(_ path: String) -> ConfigurationError? {
            #expect(throws: ConfigurationError.self) { try WorkerFile(contentsOf: path) }
        }
        let absent = error(directory.file("absent.yaml"))
        #expect(absent?.code == .unreadable)
        #expect(absent?.file == directory.file("absent.yaml"))
        #expect(absent?.message == "The file cannot be read: No such file or directory.")
        #expect(error(directory.path)?.message == "The file cannot be read: Is a directory.")
        let loop = directory.file("loop.yaml")
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        #expect(error(loop)?.next.contains("symbolic link") == true)
        try directory.write(String(repeating: "# long\n", count: 150_000), to: "large.yaml")
        #expect(error(directory.file("large.yaml"))?.code == .tooLarge)
        // Nobody will ever write to the pipe.
        let pipe = try Fifo("pipe.yaml", in: directory)
        #expect(error(pipe.path)?.code == .unreadable)
        #expect(error("/dev/zero")?.code == .unreadable)
        #expect(throws: ConfigurationError.self) { try AccessFile(contentsOf: pipe.path) }
        try Data([0x61, 0xFF]).write(to: URL(fileURLWithPath: directory.file("latin.yaml")))
        #expect(error(directory.file("latin.yaml"))?.message == "The file is not UTF-8.")
    }

    @Test("has no line but its own, whatever the file holds")
    func forged() throws {
        let yaml = "\"a\\nw.yaml:1:1: all is well\": 1\n\"b\\e[2J\\u202e\": 2\nworker: {\"c\\L\": 1, \"c\\L\": 2}\n"
        let error = #expect(throws: ConfigurationError.self) {
            try WorkerFile(yaml: yaml, name: "w\u{7}\n", directory: directory.path)
        }
        let lines = try #require(error?.description.split(separator: "\n", omittingEmptySubsequences: false))
        #expect(lines.count == 1 + (error?.others.count ?? 0))
        #expect(lines.allSatisfy { $0.hasPrefix("w\\u{7}\\n:") }, "\(lines)")
        #expect(lines.joined().unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x2028 })
    }

    @Test("is found in a file whose aliases stand for more than anybody reads")
    func laughs() throws {
        let levels = (1..<12).map { level in
            let ten = repeatElement("*x\(level - 1)", count: 10).joined(separator: ",")
            return "x\(level): &x\(level) [\(ten)]"
        }
        let yaml = "pipelines: {p: {seeds: {a: {default: {x0: &x0 [a], \(levels.joined(separator: ", "))}}}}}"
        let error = #expect(throws: ConfigurationError.self) { try WorkerFile(yaml, in: directory) }
        #expect(error?.code == .tooLarge, "\(String(describing: error))")
    }

    @Test("is no exclamation mark of a text")
    func marks() throws {
        let yaml = "worker:\n  store: a!\n  name: &n b # !no\npipelines: {}\n# !tag\n"
        #expect(try WorkerFile(yaml, in: directory).configuration.name == "b")
    }

    @Test("is found in a file that nests deeper than anything a person writes")
    func deep() {
        let yaml = "pipelines: " + String(repeating: "[", count: 200_000)
        let error = #expect(throws: ConfigurationError.self) { try WorkerFile(yaml, in: directory) }
        #expect(error?.code == .notYAML)
    }

    @Test("is not what anchors and aliases are")
    func anchors() throws {
        let yaml = """
            pipelines:
              p:
                actions:
                  - {id: a, run: &program [/bin/echo, x], env: &env {A: 1}}
                  - {id: b, run: *program, env: *env}
            """
        let actions = try WorkerFile(yaml, in: directory).pipelines[0].orchestrator.registered
        let command = try #require(actions.last as? CommandPipelineAction).command
        #expect(command.arguments == ["/bin/echo", "x"])
        #expect(command.environment["A"] == "1")
    }
}

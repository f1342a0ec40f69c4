import Foundation
import TestSupport
import Testing

@testable import ForgeBusConfiguration

/// A file with one thing wrong.
///
/// The place where the error must point is marked with `§`, which is not part of the file.
struct BadFile: CustomTestStringConvertible {
    let code: ConfigurationError.Code
    let key: String?
    /// The word that the author probably meant, which the error offers.
    let guess: String?
    /// A word of the file, a place or a limit that the message must name.
    let naming: String?
    let marked: String

    init(
        _ code: ConfigurationError.Code,
        _ key: String?,
        guess: String? = nil,
        naming: String? = nil,
        _ marked: String
    ) {
        self.code = code
        self.key = key
        self.guess = guess
        self.naming = naming
        self.marked = marked
    }

    var testDescription: String { "\(code.rawValue) \(key ?? "") \(guess ?? naming ?? "") \(position)" }

    var text: String { marked.replacing("§", with: "") }

    var position: (line: Int, column: Int) {
        let before = marked.prefix { $0 != "§" }.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return (before.count, before[before.count - 1].unicodeScalars.count + 1)
    }

    /// A pipeline with these actions and, if given, seeds.
    static func pipeline(
        _ code: ConfigurationError.Code,
        _ key: String,
        guess: String? = nil,
        naming: String? = nil,
        _ actions: String
    ) -> BadFile {
        let actions = actions.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n")
        let head = "pipelines:\n  p:\n    seeds: {v: {type: string}, list: {type: array}}\n    actions:\n"
        return BadFile(code, "pipelines.p.\(key)", guess: guess, naming: naming, head + actions + "\n")
    }

    /// Checks that the error has the kind and the place of this file's fault, and that it is the only one.
    func check(_ error: ConfigurationError) {
        #expect(error.code == code, "\(error)")
        #expect(error.line == position.line, "\(error)")
        #expect(error.column == position.column, "\(error)")
        #expect(error.key == key, "\(error)")
        #expect(error.guess == guess, "\(error)")
        if let naming {
            let spellings = ["\"\(naming)\"", "`\(naming)`", " \(naming)"]
            #expect(spellings.contains { error.message.contains($0) }, "\(error)")
        }
        #expect(!error.next.isEmpty)
        #expect(error.others.isEmpty, "\(error)")
    }
}

@Suite("An error in a file")
struct ErrorTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("names line, column and key, and the word that was probably meant", arguments: BadFile.all)
    func table(_ bad: BadFile) throws {
        let error = #expect(throws: ConfigurationError.self) { try WorkerFile(bad.text, in: directory) }
        guard let error else { return }
        #expect(error.file == "worker.yaml")
        bad.check(error)
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
              drain: soon
            """
        let error = #expect(throws: ConfigurationError.self) { try WorkerFile(yaml, in: directory) }
        let first = try #require(error)
        let errors = [first] + first.others
        #expect(errors.map(\.code) == [.unknownKey, .missingKey, .badValue, .badValue])
        let places = [
            "worker.yaml:3:5: monitors.m.topic", "worker.yaml:3:5: monitors.m",
            "worker.yaml:6:14: monitors.m.actions[0].run", "worker.yaml:8:10: worker.drain",
        ]
        let lines = zip(places, errors).map { "\($0): \($1.message) \($1.next)" }
        #expect(first.description == lines.joined(separator: "\n"))
    }

    @Test("of an action does not make another one of the action that requires it")
    func required() throws {
        let yaml = """
            pipelines:
              deploy:
                actions:
                  - {id: approve, gate: {signal: "deploy/approve"}}
                  - {id: rollout, requires: [approve], run: [x]}
            """
        let error = #expect(throws: ConfigurationError.self) { try WorkerFile(yaml, in: directory) }
        #expect(error?.key == "pipelines.deploy.actions[0].gate.signal")
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
        #expect(absent?.message == Errors.unreadableFile(ENOENT).message)
        #expect(error(directory.path)?.message == Errors.unreadableFile(EISDIR).message)
        let loop = directory.file("loop.yaml")
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        #expect(error(loop)?.next == Errors.unreadableFile(ELOOP).next)
        try directory.write(String(repeating: "# long\n", count: 150_000), to: "large.yaml")
        #expect(error(directory.file("large.yaml"))?.code == .tooLarge)
        // Nobody will ever write to the pipe.
        let pipe = try Fifo("pipe.yaml", in: directory)
        #expect(error(pipe.path)?.code == .unreadable)
        #expect(error("/dev/zero")?.code == .unreadable)
        #expect(throws: ConfigurationError.self) { try AccessFile(contentsOf: pipe.path) }
        try Data([0x61, 0xFF]).write(to: URL(fileURLWithPath: directory.file("latin.yaml")))
        #expect(error(directory.file("latin.yaml"))?.code == .notYAML)
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

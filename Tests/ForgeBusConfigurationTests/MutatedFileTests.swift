import TestSupport
import Testing

@testable import ForgeBusConfiguration

@Suite("A file with random faults")
struct MutatedFileTests {
    private static let count = 10_000

    /// What takes the place of a word: values of every type, of the wrong size, in the wrong form, and signs of YAML.
    private static let words = [
        "", "~", "0", "-1", "1.5", "9223372036854775808", "1e400", "true", "yes", "5ms", "3d", "256MiB", "5 s", "[]",
        "{}", "[a",
        "{a: b", "&x", "*x", "!secret", "|", ">", "\"", "'", "#", "- ", ":", "?", "%", "{seed.version}", "{run.id}",
        "{value.x}", "{", "}}", "a..b", ">", "*", "\u{0}", "\u{feff}", "é", "\u{1F469}\u{200D}\u{1F4BB}", "deploy",
        "approve",
        "<<: *x", "run: [x]", "gate: {}", "pipelines:",
    ]

    /// The file with one to four faults: a line or a word that is gone, twice there, elsewhere, indented or another one.
    private static func mutated(_ text: String, with random: inout SeededGenerator) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for _ in 0...random.below(4) {
            let (place, other) = (random.below(lines.count), random.below(lines.count))
            switch random.below(7) {
            case 0: lines.remove(at: place)
            case 1: lines.insert(lines[place], at: other)
            case 2: lines.swapAt(place, other)
            case 3: lines[place] = String(repeating: " ", count: random.below(9)) + lines[place]
            case 4: lines[place] = String(lines[place].drop { $0 == " " }.prefix(random.below(40)))
            case _:
                var parts = lines[place].split(separator: " ", omittingEmptySubsequences: false).map(String.init)
                parts[random.below(parts.count)] = words[random.below(words.count)]
                lines[place] = parts.joined(separator: " ")
            }
            if lines.isEmpty { lines = [""] }
        }
        return lines.joined(separator: "\n")
    }

    private static func check(_ texts: [String], _ read: (String) throws(ConfigurationError) -> Void) {
        var random = SeededGenerator(seed: 47)
        var refused = 0
        for number in 0..<count {
            let text = mutated(texts[random.below(texts.count)], with: &random)
            do throws(ConfigurationError) { try read(text) } catch {
                refused += 1
                let last = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
                for error in [error] + error.others {
                    let isInFile = error.line.map { (1...last + 1).contains($0) } ?? true
                    #expect(
                        isInFile && error.column ?? 1 > 0 && !error.message.isEmpty && !error.next.isEmpty,
                        "\(number): \(error)"
                    )
                }
            }
        }
        #expect((count / 10..<count).contains(refused), "\(refused) of \(count) files were refused")
    }

    @Test("is a worker's file, or an error at a place in it")
    func worker() throws {
        let directory = try TemporaryDirectory()
        let texts =
            [WorkerFile.sample, WorkerFile.demonstration, try Repository.text(of: "examples/fleet/worker.yaml")]
            + BadFile.all.map(\.text)
        Self.check(texts) { text throws(ConfigurationError) in _ = try WorkerFile(text, in: directory) }
    }

    @Test("is an access file, or an error at a place in it")
    func access() throws {
        let texts = try ["examples/fleet/access.yaml", "deploy/kubernetes/etc/access.yaml"].map {
            try Repository.text(of: $0)
        }
        Self.check(texts) { text throws(ConfigurationError) in _ = try AccessFile(yaml: text, name: "access.yaml") }
    }
}

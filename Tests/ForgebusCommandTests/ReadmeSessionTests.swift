import Foundation
import Testing

extension CommandLineTests {
    @Suite("The session that the README shows")
    struct ReadmeSessionTests {
        /// The first block of this kind.
        private static func block(_ kind: String) throws -> String {
            let readme = try DeployFiles.text("README.md")
            let begin = try #require(readme.firstRange(of: "```\(kind)\n"))
            let end = try #require(readme[begin.upperBound...].firstRange(of: "\n```"))
            return String(readme[begin.upperBound..<end.lowerBound])
        }

        /// The text with the same mark in place of each id, time and duration.
        private static func withoutChance(_ line: some StringProtocol) -> String {
            String(line)
                .replacing(/run-[a-z0-9]+-\d+/, with: "RUN")
                .replacing(/request [0-9a-f]{32}/, with: "request ID")
                .replacing(/\d{4}-\d\d-\d\dT[0-9:.]+Z/, with: "TIME")
                .replacing(/[0-9.]+ (µs|ms|s)$/, with: "DURATION")
                .replacing(/\s+\d+[smh]\w* +never/, with: "  AGE  never")
                // The columns are as wide as the run's id.
                .replacing(/^GATE +/, with: "GATE  ")
        }

        @Test("is what the program prints, but for ids, times and durations")
        func session() async throws {
            let shown = try Self.block("console")
            let ended = try await WorkerProcess.serve(try Self.block("yaml")) { worker in
                var run = ""
                for step in shown.split(separator: "$ forgebus ") {
                    let lines = step.split(separator: "\n")
                    let call = try #require(lines.first).replacing(/run-[a-z0-9]+-\d+/, with: run)
                    let words = call.matches(of: /"([^"]*)"|(\S+)/).map { String($0.1 ?? $0.2 ?? "") }
                    // The run has ended, so that its steps are not shown one by one.
                    if words.first == "attach" { _ = try await worker.asked(words + ["-o", "jsonl"]) { _ in } }
                    let outcome = try await worker.asked(words) { _ in }
                    #expect(outcome.code == 0, "\(outcome)")
                    #expect(outcome.output.map(Self.withoutChance) == lines.dropFirst().map(Self.withoutChance))
                    if run.isEmpty { run = outcome.output.first?.words.dropFirst().first.map(String.init) ?? "" }
                }
                #expect(run.hasPrefix("run-"))
            }
            #expect(ended.code == 0, "\(ended)")
        }
    }
}

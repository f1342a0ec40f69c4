import Foundation
import Testing

@testable import forgebus

extension CommandLineTests {
    @Suite("The help")
    struct HelpTests {
        static let verbs = forgebus.Forgebus.configuration.subcommands.compactMap { $0.configuration.commandName }
        static let statuses = [
            "0 done", "1 the run failed", "2 it came to nothing", "64 wrong usage", "65 bad data", "69 unreachable",
            "75 try again", "77 forbidden", "78 configuration", "124 outcome unknown",
        ]

        @Test("names every verb and every exit status")
        func help() async throws {
            let outcome = try await Forgebus.run(["--help"])
            #expect(outcome.code == 0)
            let text = outcome.output.flatMap(\.words).joined(separator: " ")
            #expect(Self.verbs.count >= 15)
            for words in Self.verbs + Self.statuses { #expect(text.contains(words), "\(words)") }
        }

        @Test("names nothing that the article about the command line does not")
        func article() throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Sources/ForgeBusConfiguration/ForgeBusConfiguration.docc/CommandLine.md")
            let article = try String(contentsOf: file, encoding: .utf8)
            for verb in Self.verbs { #expect(article.contains("`\(verb)"), "\(verb)") }
            for status in Self.statuses.compactMap(\.words.first) { #expect(article.contains("\n| \(status) | ")) }
        }
    }
}

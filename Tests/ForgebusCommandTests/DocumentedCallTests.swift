import Foundation
import Testing

@testable import forgebus

extension CommandLineTests {
    @Suite("What is written of the command line")
    struct DocumentedCallTests {
        static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        static let commandLine = "Sources/ForgeBusConfiguration/ForgeBusConfiguration.docc/CommandLine.md"

        /// Every line of an article's shell blocks that calls the program.
        static func calls() throws -> [String] {
            let catalogues = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Sources").path)
                .filter { $0.hasSuffix(".md") }.map { "Sources/\($0)" }
            return try (["README.md", "deploy/README.md"] + catalogues).flatMap { path in
                try text(path).matches(of: /```sh\n(?<code>[\s\S]*?)```/).flatMap { block in
                    block.code.split(separator: "\n").map(String.init).filter { $0.hasPrefix("forgebus ") }
                }
            }
        }

        static func text(_ path: String) throws -> String {
            try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }

        /// The rows of the table that begins with `header`, cell by cell.
        static func table(_ header: String, in text: String) -> [[Substring]] {
            text.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("| \(header) |") }
                .dropFirst(2).prefix { $0.hasPrefix("|") }
                .map { $0.replacing("\\|", with: "or").split(separator: "|") }
        }

        @Test("can be called so", arguments: try calls())
        func example(_ call: String) throws {
            let code = call.split(separator: "#").first ?? ""
            let words = code.matches(of: /"([^"]*)"|'([^']*)'|(\S+)/).map { String($0.1 ?? $0.2 ?? $0.3 ?? "") }
            #expect(throws: Never.self) { try forgebus.Forgebus.parseAsRoot(Array(words.dropFirst())) }
        }

        @Test("has a row for each subcommand and no other, with options the subcommand has")
        func subcommands() async throws {
            let rows = Self.table("subcommand", in: try Self.text(Self.commandLine))
            let named = rows.flatMap { $0[0].matches(of: /`([a-z]+)/).map { String($0.1) } }
            #expect(named.sorted() == HelpTests.subcommands.sorted())
            for row in rows {
                let subcommand = try #require(row[0].firstMatch(of: /`([a-z]+)/)?.1)
                let help = try await Forgebus.run(["help", String(subcommand)]).output.joined(separator: "\n")
                for option in row.joined().matches(of: /--[a-z-]+/).map(\.output) {
                    let isThere = help.contains("  \(option) ") || help.contains(", \(option) ")
                    #expect(isThere, "\(subcommand) \(option)")
                }
            }
        }

        @Test("has a row for each exit status and no other")
        func statuses() throws {
            let rows = Self.table("code", in: try Self.text(Self.commandLine))
            let named = rows.flatMap { $0[0].matches(of: /\d+/).compactMap { Int32($0.output) } }
            // The one that is not ours: the parser of the command line ends with it.
            let usage: Int32 = 64
            #expect(Set(named) == Set(ExitStatus.allCases.map(\.rawValue) + [usage]))
        }
    }
}

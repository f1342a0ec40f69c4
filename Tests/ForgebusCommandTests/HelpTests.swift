import ArgumentParser
import ForgeBusProtocol
import Testing

@testable import forgebus

extension CommandLineTests {
    @Suite("The help")
    struct HelpTests {
        static let subcommands = forgebus.Forgebus.configuration.subcommands.compactMap { $0.configuration.commandName }

        @Test("names every subcommand and every exit status")
        func help() async throws {
            let outcome = try await Forgebus.run(["--help"])
            #expect(outcome.code == 0)
            let words = Set(outcome.output.flatMap(\.words).map(String.init))
            #expect(words.isSuperset(of: Self.subcommands))
            #expect(words.isSuperset(of: ExitStatus.allCases.map { "\($0.rawValue)" } + ["64"]))
        }

        @Test("is one screen without a subcommand, which names them all")
        func screen() async throws {
            let outcome = try await Forgebus.run([])
            #expect(outcome.code == 0 && outcome.output.count <= 24)
            let words = Set(outcome.output.flatMap { $0.split { !$0.isLetter } }.map(String.init))
            #expect(words.isSuperset(of: Self.subcommands))
        }

        @Test("gives the program's version")
        func version() async throws {
            let outcome = try await Forgebus.run(["--version"])
            #expect(outcome.code == 0)
            #expect(outcome.output == ["forgebus \(Release.version), protocol FORGE/1"])
        }

        @Test("of a subcommand begins with an example that the program understands", arguments: subcommands)
        func example(of subcommand: String) async throws {
            let help = forgebus.Forgebus.helpMessage(for: Self.command(subcommand), columns: 200)
            let example = try #require(help.firstMatch(of: /Example: forgebus (.+)/)?.output.1)
            #expect(example.hasPrefix(subcommand))
            // As a shell splits it: quotes keep words together.
            let words = example.matches(of: /'([^']*)'|"([^"]*)"|([^ '"]+)/).map { match in
                String(match.output.1 ?? match.output.2 ?? match.output.3 ?? "")
            }
            #expect(throws: Never.self, "\(words)") { try forgebus.Forgebus.parseAsRoot(words) }
        }

        private static func command(_ subcommand: String) -> any ParsableCommand.Type {
            forgebus.Forgebus.configuration.subcommands.first { $0.configuration.commandName == subcommand }
                ?? forgebus.Forgebus.self
        }

        @Test("makes completions for a shell", arguments: ["bash", "zsh", "fish"])
        func completions(for shell: String) async throws {
            let outcome = try await Forgebus.run(["completion", shell])
            #expect(outcome.code == 0)
            for subcommand in Self.subcommands {
                #expect(outcome.output.contains { $0.contains(subcommand) }, "\(subcommand)")
            }
        }

        @Test("is wrapped at 40 columns where there are fewer", arguments: ["0", "-1", "26", "40"])
        func narrow(columns: String) async throws {
            let wide = try await Forgebus.run(["cancel", "--help"], environment: ["COLUMNS": "100"])
            let narrow = try await Forgebus.run(["cancel", "--help"], environment: ["COLUMNS": columns])
            #expect(narrow.code == 0 && wide.code == 0)
            #expect(narrow.output.count > wide.output.count)
            #expect(narrow.output.joined().filter { $0 != " " } == wide.output.joined().filter { $0 != " " })
        }

        @Test("has a subcommand for every command of the protocol that needs a right")
        func commands() {
            // Everybody may greet and ping; a watch ends with its command.
            let words = Request.Command.verbs.filter { $0.right != nil }.flatMap { $0.words }.map { $0.lowercased() }
            #expect(Set(words + ["hello", "ping"]).subtracting(Self.subcommands) == [])
        }

        @Test("of a subcommand says what it does, and what each argument and option means", arguments: subcommands)
        func help(of subcommand: String) async throws {
            let outcome = try await Forgebus.run(["help", subcommand])
            #expect(outcome.code == 0)
            #expect(outcome.output.first?.hasPrefix("OVERVIEW: ") == true)
            #expect(outcome.output.contains { $0.hasPrefix("USAGE: forgebus \(subcommand)") })
            let entries = try #require(outcome.output.firstIndex { $0 == "ARGUMENTS:" || $0 == "OPTIONS:" })
            let list = outcome.output[entries...]
            for (line, next) in zip(list, Array(list.dropFirst()) + [""]) where line.firstMatch(of: /^  [-<]/) != nil {
                // A long name has its sentence on the next line.
                let isExplained = line.firstMatch(of: /\S {2,}\S/) != nil || next.hasPrefix("                   ")
                #expect(isExplained, "\(line)")
            }
        }
    }
}

import ArgumentParser
import ForgeBusProtocol

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The command line `forgebus`, which runs a worker or sends requests to a worker.
@main
struct Forgebus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgebus",
        abstract: "Runs a worker that hosts orchestrators on ZeroMQ, or sends requests to a worker.",
        discussion: """
            `forgebus gates` lists the gates that wait for you, `forgebus list runs` lists the runs, and \
            `forgebus stuck` lists what needs attention. `forgebus explain NAME` shows what happened to a run, signal \
            or monitor. `forgebus logs RUN` shows what the actions of a run printed. `forgebus status` shows whether \
            the worker takes work.

            Exit codes: 0 done; 1 the run ended without completing, or a cycle failed; 2 no effect, for instance because \
            the decision came too late or another decision stands; 3 no monitor follows the topic (of notify --wait); \
            64 wrong usage; 65 bad data, such as a wrong seed or an unknown name; 69 no worker was reached, or an \
            endpoint or port cannot be used; 70 an error of the program; 73 a file cannot be written, or another \
            worker uses the store, or the store cannot be opened; 74 an error of the store or the disk; 75 try again; \
            76 another process has taken the worker over; 77 forbidden; 78 wrong \
            configuration; 124 outcome unknown, so send the request again, with the same --id if the command has this \
            option; 130 or 143 interrupted by Ctrl-C or SIGTERM (work that has started continues); 141 the program \
            that reads the output has ended.

            With -o json, standard output is one JSON document. It is an object; for `notify --wait`, `run`, `attach`, \
            `list`, `gates`, `stuck`, `watch --count`, `logs --follow`, `access list`, `context list` and `audit export`, it is an array of the objects that -o jsonl prints \
            one per line. An error is an object with the key `error`; in an array, it is the last element. Standard error \
            shows the error, too. Errors in the command line itself (64) appear on standard error only. On a terminal, \
            `run` and `attach` update a line for each action; the variable NO_COLOR turns colours off.
            """,
        version: "forgebus \(Release.version), protocol FORGE/1",
        groupedSubcommands: [
            CommandGroup(
                name: "Gate and signal",
                subcommands: [
                    GatesCommand.self, ApproveCommand.self, RejectCommand.self, WithdrawCommand.self,
                    CompleteCommand.self,
                ]
            ),
            CommandGroup(
                name: "Pipeline",
                subcommands: [RunCommand.self, AttachCommand.self, CancelCommand.self, RedriveCommand.self]
            ),
            CommandGroup(
                name: "Monitor",
                subcommands: [NotifyCommand.self, PublishCommand.self, ModeCommand.self, FleetCommand.self]
            ),
            CommandGroup(
                name: "Query",
                subcommands: [
                    ListCommand.self, StuckCommand.self, ShowCommand.self, LogsCommand.self, ExplainCommand.self,
                    WatchCommand.self,
                    AuditCommand.self,
                ]
            ),
            CommandGroup(
                name: "Operation",
                subcommands: [
                    WorkerCommand.self, StatusCommand.self, PauseCommand.self, ResumeCommand.self, PingCommand.self,
                    HelloCommand.self, StoreCommand.self,
                    AdminCommand.self,
                    KeygenCommand.self, AccessCommand.self, ContextCommand.self, InitCommand.self, SchemaCommand.self,
                    CompletionCommand.self,
                ] + gateway
            ),
        ]
    )

    #if HTTP
    private static let gateway: [any ParsableCommand.Type] = [GatewayCommand.self, DevCommand.self, TokenCommand.self]
    private static let start = "dev                     serves a sample, with its console in a browser"
    #else
    private static let gateway: [any ParsableCommand.Type] = []
    private static let start = "init                    writes a worker file to begin with"
    #endif

    /// Without a subcommand, the program prints what there is on one screen; `--help` prints all.
    func run() throws {
        let groups = Self.configuration.groupedSubcommands.map { group in
            let names = group.subcommands.compactMap { $0.configuration.commandName }
            return "  \(group.name.padded(to: 18))\(names.joined(separator: ", "))"
        }
        let first = [Self.start, "gates                   lists what waits for you"].map { "  forgebus \($0)" }
        let rest = "`forgebus help SUBCOMMAND` explains a subcommand, with an example; `forgebus --help`, all of them."
        let lines = [Self.configuration.abstract, ""] + first + [""] + groups + ["", rest]
        Terminal.say(lines.flatMap { $0.wrappedForTerminal(indent: $0.hasPrefix("  ") ? 20 : 0) })
        try Terminal.checkWritten()
    }

    static func main() async {
        StandardDescriptors.secure()
        Terminal.leaveRoomForHelp()
        do {
            let command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// Prints the error, or the help if the user requested it, and ends the process with the matching exit status.
    private static func end(with error: any Error) -> Never {
        let code = exitCode(for: error)
        guard code.isSuccess else {
            let lines = complaint(error, about: Array(CommandLine.arguments.dropFirst()))
            if !lines.isEmpty { Terminal.complain(lines, as: "") }
            exit(withError: code)
        }
        // The help, or a completion script for a shell.
        Terminal.say(document: fullMessage(for: error))
        exit(withError: Terminal.isWritten ? code : ExitStatus.unread.exit)
    }

    /// The lines of the error for a wrong command line.
    ///
    /// A line end in `words`, the words of the command line, is escaped, so that it does not begin a new line.
    static func complaint(_ error: any Error, about words: [String]) -> [String] {
        guard words.contains(where: { $0.unicodeScalars.contains("\n") }), !(error is ExitCode) else {
            return lines(of: error, about: words)
        }
        // Parsed again with escaped line ends, the command line usually fails for the same reason. Then all line ends
        // in the message come from the parser.
        do {
            _ = try parseAsRoot(words.map(Printable.escaped))
        } catch let error where exitCode(for: error) == .validationFailure {
            return lines(of: error, about: words)
        } catch {}
        return ["Error: \(message(for: error))"]
    }

    /// The lines of an error message; empty if the command has already printed the error.
    private static func lines(of error: any Error, about words: [String]) -> [String] {
        let text = fullMessage(for: error)
        var lines = text.isEmpty ? [] : text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let first = lines.first?.lowercased() ?? ""
        if first.contains("unexpected argument") || first.contains("unknown option"), let guess = guess(in: words) {
            lines.insert("  Did you mean \(guess)?", at: 1)
        }
        return lines
    }

    /// The command that was probably meant by a misspelt one in `words`; nil if no command is close enough.
    private static func guess(in words: [String]) -> String? {
        var (command, path): (any ParsableCommand.Type, String) = (Self.self, "forgebus")
        for word in words {
            let known = command.configuration.subcommands
            if let next = known.first(where: { $0._commandName == word }) {
                (command, path) = (next, "\(path) \(word)")
            } else if word.hasPrefix("-") {
                return nil
            } else {
                return Spelling.guess(word, among: known.map { $0._commandName }).map { "\(path) \($0)" }
            }
        }
        return nil
    }
}

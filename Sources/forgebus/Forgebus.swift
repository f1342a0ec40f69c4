import ArgumentParser
import ForgeBusProtocol

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The command line: a worker, and all commands for one.
@main
struct Forgebus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgebus",
        abstract: "Runs a worker that hosts orchestrators on ZeroMQ, and talks to workers.",
        discussion: """
            Exit codes: 0 done, 1 the run failed, 2 no effect (too late, or in conflict with an earlier decision), \
            64 wrong usage, 65 bad data, 69 unreachable, 75 try again, 77 forbidden, 78 configuration, \
            124 outcome unknown: send again with the same --id, 130 or 143 interrupted by Ctrl-C or SIGTERM: work that \
            has started continues, 141 the reader of the result has left. 70 and 74 are errors of the program and of \
            its store; 73 is a file that cannot be written, or a store that another worker has.

            With -o json standard output is one JSON document: an object, or for notify --wait, run, attach, list and \
            watch --count an array of the objects that -o jsonl prints one per line. An error is an object with the \
            key error, the last one of an array, and is printed on standard error, too; errors in the command line \
            itself (64) are printed on standard error only. On a terminal run and attach update each action's line; \
            NO_COLOR turns colours off.
            """,
        subcommands: [
            WorkerCommand.self, NotifyCommand.self, RunCommand.self, AttachCommand.self, CancelCommand.self,
            RedriveCommand.self, CompleteCommand.self, RejectCommand.self, ListCommand.self, ShowCommand.self,
            WatchCommand.self, ModeCommand.self, ExplainCommand.self, StoreCommand.self, AdminCommand.self,
            HelloCommand.self, PingCommand.self,
            KeygenCommand.self, AccessCommand.self,
        ]
    )

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

    /// Prints the final message, and ends the process.
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

    /// The error for a wrong command line; no word of the command line begins a line.
    static func complaint(_ error: any Error, about words: [String]) -> [String] {
        guard words.contains(where: { $0.unicodeScalars.contains("\n") }), !(error is ExitCode) else {
            return lines(of: error)
        }
        // Without its line ends, the call usually fails for the same reason; then all line ends in the text are the
        // parser's.
        do {
            _ = try parseAsRoot(words.map(Printable.escaped))
        } catch let error where exitCode(for: error) == .validationFailure {
            return lines(of: error)
        } catch {}
        return ["Error: \(message(for: error))"]
    }

    /// Empty if everything was printed already, and only the exit status is left.
    private static func lines(of error: any Error) -> [String] {
        let text = fullMessage(for: error)
        return text.isEmpty ? [] : text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}

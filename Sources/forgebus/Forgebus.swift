import ArgumentParser

/// The command line: a worker, and everything one can say to it.
@main
struct Forgebus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgebus",
        abstract: "Hosts orchestrators on ZeroMQ, and asks workers that do.",
        discussion: """
            Exit codes: 0 done, 1 the run failed, 2 it came to nothing (rejected, or in conflict with what stands), \
            64 wrong usage, 65 bad data, 69 unreachable, 75 try again, 77 forbidden, 78 configuration, \
            124 outcome unknown: send again under the same --id, 130 or 143 told to end, by Ctrl-C or SIGTERM: what was \
            begun goes on. 70 and 74 are faults of the program and of its store; 73 is a file that cannot be \
            written, or a store that another worker has.

            With -o json standard output is one JSON document: an object, or for notify --wait, run, attach, list and \
            watch --count an array of what -o jsonl prints one a line. An error is an object with the key error, the \
            last one of an array, and said on standard error, too; but what is wrong with the words of the command line \
            itself (64) is said on standard error alone. On a terminal run and attach draw each action's line anew as \
            it goes on; NO_COLOR keeps it from being coloured.
            """,
        subcommands: [
            WorkerCommand.self, NotifyCommand.self, RunCommand.self, AttachCommand.self, CancelCommand.self,
            RedriveCommand.self, CompleteCommand.self, RejectCommand.self, ListCommand.self, ShowCommand.self,
            WatchCommand.self, ModeCommand.self, ExplainCommand.self, StoreCommand.self, AdminCommand.self,
            HelloCommand.self, PingCommand.self,
            KeygenCommand.self, AccessCommand.self,
        ]
    )
}

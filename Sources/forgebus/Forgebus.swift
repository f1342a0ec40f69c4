import ArgumentParser

/// The command line: a worker, and everything one can say to it.
@main
struct Forgebus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgebus",
        abstract: "Hosts orchestrators on ZeroMQ, and asks workers that do.",
        discussion: """
            Exit codes: 0 done, 1 the run failed, 2 the decision came to nothing, 64 wrong usage, 65 bad data, \
            69 unreachable, 75 try again, 77 forbidden, 78 configuration, 124 outcome unknown.
            """,
        subcommands: [
            WorkerCommand.self, NotifyCommand.self, RunCommand.self, CompleteCommand.self, RejectCommand.self,
            ListCommand.self, PingCommand.self,
        ]
    )
}

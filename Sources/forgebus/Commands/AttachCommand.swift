import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus attach`, with its arguments and options.
struct AttachCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Follows a run that was started elsewhere, until it ends.",
        discussion: """
            Example: forgebus attach run-7 --wait 60s

            The command shows the run's state, then each change of the run, and at the end the result of every action. \
            It waits also while the run is parked. It exits 0 if the run completed, 1 if it ended otherwise, and 75 if \
            it has not ended after the time of --wait. Ctrl-C ends only the command, not the run.
            """
    )

    @Argument(
        help: ArgumentHelp("The run's id, as `forgebus list runs` shows it.", valueName: "run"),
        transform: Words.name
    )
    var target: Name

    @OptionGroup var patience: RunPatience

    @OptionGroup var client: ClientOptions

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            try await RunView(output, client).follow(RunID(target), on: bus, for: patience.wait)
        }
    }
}

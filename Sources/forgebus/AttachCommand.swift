import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// `forgebus attach`.
struct AttachCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Shows how a run goes that somebody began, and how it ends.",
        discussion: """
            Exits as run does: 0 if the run completed, 1 if it ended otherwise; 75 if it has not ended after --wait. \
            What changed before is not told again, but the result names every action. Ctrl-C leaves the run as it is.
            """
    )

    @Argument(help: ArgumentHelp("The run's id, as the worker announced it.", valueName: "run"), transform: Words.name)
    var target: Name

    @Option(
        help: ArgumentHelp(
            "Seconds after which its state is enough; 0 asks for the state now. Without it, until the run ends.",
            valueName: "seconds"
        )
    )
    var wait: Double?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        if let wait, !(0...31_536_000).contains(wait) {
            throw ValidationError("--wait takes seconds, from 0 to 31536000.")
        }
    }

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            let view = RunView(output, client)
            switch try await bus.attach(target, waiting: .zero) {
            case .ended(let result): return view.show(result)
            case .unfinished(let state): return try await follow(bus, view, from: state)
            }
        }
    }

    private func follow(
        _ bus: BusClient,
        _ view: RunView,
        from state: StateReport.State
    ) async throws(BusError) -> ExitStatus {
        guard wait != 0 else { return stillGoing(state, view) }
        view.show(attached: state, of: target)
        let limit = wait.map { Duration.seconds($0) }
        let status = try await view.shown { () throws(BusError) in
            try await bus.attach(target, waiting: limit) { view.hear($0) }
        }
        switch status {
        case .ended(let result): return view.show(result)
        case .unfinished(let state): return stillGoing(state, view)
        }
    }

    private func stillGoing(_ state: StateReport.State, _ view: RunView) -> ExitStatus {
        view.show(state, of: target)
        return .tryAgain
    }
}

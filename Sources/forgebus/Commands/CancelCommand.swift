import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus cancel`, with its arguments and options.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels a run.",
        discussion: "For a run that has already ended, it exits 0 and shows how the run ended."
    )

    @Argument(help: ArgumentHelp("The run's id, as shown by the worker.", valueName: "run"), transform: Words.name)
    var target: Name

    @Argument(help: "The reason, for people.")
    var reason: String = ""

    @Option(
        help: "The request's id. If you send the same request again with this id, you get the first answer again.",
        transform: Words.requestID
    )
    var id: RequestID?

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let request = id ?? .random()
        try await client.ask(.one, id: request) { bus, output throws(BusError) in
            let report = try await bus.cancel(RunID(target), reason: reason, id: request)
            output.show(report.line(of: target, Self.remark(on: report.state)), report.json)
            return .done
        }
    }

    private static func remark(on state: StateReport.State) -> String {
        switch state {
        case .stopping: "attach to see how the run ends"
        case .completed, .failed, .timedOut, .lost: "the run had already ended"
        case .cancelled, .queued, .running, .waiting, .retrying, .parked, .creditEnded, .unwatched, .set, .done,
            .withdrawn, .nothing, .decided:
            ""
        }
    }
}

/// The command `forgebus redrive`, with its arguments and options.
struct RedriveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redrive",
        abstract: "Resumes a parked run at the action where it stopped.",
        discussion: "Exits 2 for a run that is not parked."
    )

    @Argument(help: ArgumentHelp("The run's id, as shown by the worker.", valueName: "run"), transform: Words.name)
    var target: Name

    @Option(
        help: "The request's id. If you send the same request again with this id, you get the first answer again.",
        transform: Words.requestID
    )
    var id: RequestID?

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let request = id ?? .random()
        try await client.ask(.one, id: request) { bus, output throws(BusError) in
            let report = try await bus.redrive(RunID(target), id: request)
            output.show(report.line(of: target, "attach to follow the run"), report.json)
            return .done
        }
    }
}

extension StateReport {
    /// The state of `name`, in one line for people.
    func line(of name: Name, _ remark: String = "") -> String {
        "\(state.rawValue.padded(to: 11))\(name)\(remark.isEmpty ? "" : "  (\(remark))")"
    }
}

import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus cancel`, with its arguments and options.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels a run, or with --all many runs.",
        discussion: """
            Example: forgebus cancel run-7 "wrong version"

            For a run that has already ended, the command exits 0 and shows how the run ended.

            --all means all unfinished runs that match --pipeline, --state, --principal, --older-than and --prefix. \
            With --expect N, the command cancels these runs if exactly N match, and otherwise none. Without --expect, \
            it only shows how many match, and exits 2.
            """
    )

    @Argument(
        help: ArgumentHelp("The run's id, as `forgebus list runs` shows it.", valueName: "run"),
        transform: Words.name
    )
    var target: Name?

    @Argument(help: "Why you cancel the run, as a text for people.")
    var reason: String = ""

    @Option(name: .customLong("reason"), help: "With --all: why you cancel the runs, as a text for people.")
    var commonReason: String?

    @OptionGroup(title: "Many runs") var many: ManyOptions

    @Option(
        help: "The request's id. If you send the same request again with this id, you get the first answer again.",
        transform: Words.requestID
    )
    var id: RequestID?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try many.validate(with: target, advice: " Give a reason for many runs with --reason.")
        if commonReason != nil, !many.all {
            throw Errors.reasonWithoutAll
        }
    }

    func run() async throws {
        let request = id ?? .random()
        guard let target else {
            let reason = commonReason ?? ""
            let more = reason.isEmpty ? [] : ["--reason", reason]
            return try await many.conclude("cancel", done: "cancelled", more: more, id: request, client) {
                bus,
                filter,
                count throws(BusError) in
                try await bus.cancelAll(where: filter, expecting: count, reason: reason, id: request)
            }
        }
        try await client.ask(.one, id: request) { bus, output throws(BusError) in
            let report = try await bus.cancel(RunID(target), reason: reason, id: request)
            output.show(report.line(of: target, Self.remark(on: report.state)), report.json)
            return .done
        }
    }

    private static func remark(on state: StateReport.State) -> String {
        switch state {
        case .stopping: "`forgebus attach` shows how the run ends"
        case .completed, .failed, .timedOut, .lost: "the run had already ended in this state; nothing was cancelled"
        case .cancelled, .queued, .running, .waiting, .retrying, .parked, .creditEnded, .unwatched, .set,
            .paused, .resumed, .done,
            .withdrawn, .nothing, .decided:
            ""
        }
    }
}

/// The command `forgebus redrive`, with its arguments and options.
struct RedriveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redrive",
        abstract: "Resumes a parked run at the action where it stopped; with --all, many parked runs.",
        discussion: """
            Example: forgebus redrive run-7

            Exits 2 for a run that is not parked.

            --all means all parked runs that match --pipeline, --state, --principal, --older-than and --prefix. With \
            --expect N, the command redrives these runs if exactly N match, and otherwise none. Without --expect, it \
            only shows how many match, and exits 2.
            """
    )

    @Argument(
        help: ArgumentHelp("The run's id, as `forgebus list runs` shows it.", valueName: "run"),
        transform: Words.name
    )
    var target: Name?

    @OptionGroup(title: "Many runs") var many: ManyOptions

    @Option(
        help: "The request's id. If you send the same request again with this id, you get the first answer again.",
        transform: Words.requestID
    )
    var id: RequestID?

    @OptionGroup var client: ClientOptions

    func validate() throws { try many.validate(with: target) }

    func run() async throws {
        let request = id ?? .random()
        guard let target else {
            return try await many.conclude("redrive", done: "redriven", id: request, client) {
                bus,
                filter,
                count throws(BusError) in
                try await bus.redriveAll(where: filter, expecting: count, id: request)
            }
        }
        try await client.ask(.one, id: request) { bus, output throws(BusError) in
            let report = try await bus.redrive(RunID(target), id: request)
            output.show(report.line(of: target, "`forgebus attach` follows the run"), report.json)
            return .done
        }
    }
}

extension StateReport {
    /// The state of the item `name`, in one line for people.
    func line(of name: Name, _ remark: String = "") -> String {
        "\(state.rawValue.padded(to: 11))\(name)\(remark.isEmpty ? "" : "  (\(remark))")"
    }
}

import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus admin`, with its arguments and options.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Lets the worker carry out an operator's task, such as a backup of its store.",
        discussion: """
            Example: forgebus admin store.backup '{"name":"backup-7"}'

            Each task has a verb, which the worker defines, and needs a grant of its own; without the grant the \
            command exits 77.
            """
    )

    @Argument(
        help: "The verb that names the task, such as store.verify, store.stats or store.backup.",
        transform: Words.name
    )
    var verb: Name

    @Argument(help: "The arguments of the task, as one JSON object.", transform: Words.json)
    var arguments: JSONValue?

    @Option(
        help: "The request's id. If you send the same request again with this id, you get the first answer again.",
        transform: Words.requestID
    )
    var id: RequestID?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        if let arguments, arguments.object == nil {
            throw Errors.noArguments(arguments)
        }
    }

    func run() async throws {
        let request = id ?? .random()
        let object = arguments?.object ?? [:]
        try await client.ask(.one, id: request) { bus, output throws(BusError) in
            let report = try await bus.admin(verb.text, object, id: request)
            let details = report.details.isEmpty ? "" : JSONValue.object(report.details).description
            output.show(report.line(of: verb, details), report.json)
            return .done
        }
    }
}

import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// `forgebus admin`.
struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Has the worker do what an operator asks.",
        discussion: "Which verbs there are is the worker's to say: one it does not know ends the command with 65."
    )

    @Argument(help: "What is to be done: store.verify, store.stats or store.backup.")
    var verb: NameArgument

    @Argument(help: "With what, as a JSON object.")
    var arguments: JSONArgument?

    @Option(help: "The request's id: the same request again gets its first answer.")
    var id: RequestIDArgument?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        if let arguments, arguments.value.object == nil {
            throw ValidationError("The arguments of a verb are one JSON object, such as '{\"dry\":true}'.")
        }
    }

    func run() async throws {
        let request = id?.id ?? .random()
        let object = arguments?.value.object ?? [:]
        try await client.ask(.one, id: request) { bus, output throws(BusError) in
            let report = try await bus.admin(verb.name, object, id: request)
            let details = report.details.isEmpty ? "" : JSONValue.object(report.details).description
            output.show(report.line(of: verb.name, details), report.json)
            return .done
        }
    }
}

import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus run`, with its arguments and options.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a pipeline and shows its progress.",
        discussion: """
            Exits 0 if the run completed, 1 if it ended otherwise, and 75 if it has not ended after --wait. Ctrl-C \
            ends only the command, not the run; the command then shows how to attach to the run again.
            """
    )

    @Argument(help: "The pipeline's name.", transform: Words.name)
    var pipeline: Name

    @Argument(help: "Seeds: key=text, or key:=JSON for a value that is not a text.", transform: SeedArgument.init)
    var seeds: [SeedArgument] = []

    @Option(
        help: ArgumentHelp(
            "Seconds that the whole run may take, including waits but not the time in which it is parked.",
            valueName: "seconds"
        )
    )
    var deadline: Double?

    @Option(
        help: "The request's id. If you send the same request again with this id, you get the same run.",
        transform: Words.requestID
    )
    var id: RequestID?

    @Flag(help: "Return as soon as the worker has accepted the run.")
    var detach = false

    @OptionGroup var patience: RunPatience

    @OptionGroup var client: ClientOptions

    func validate() throws {
        let keys = seeds.map(\.key)
        if let twice = keys.first(where: { key in keys.count { $0 == key } > 1 }) {
            throw ValidationError("The seed \(twice) is given twice.")
        }
        if let deadline, !(0.001...31_536_000).contains(deadline) {
            throw ValidationError("--deadline must be a number of seconds from 0.001 to 31536000.")
        }
        if detach, patience.wait != nil {
            throw ValidationError("--detach does not wait: give either --detach or --wait.")
        }
    }

    func run() async throws {
        let values = seeds.reduce(into: JSONObject()) { $0[$1.key] = $1.value }
        let (request, limit) = (id ?? .random(), deadline.map { Duration.seconds($0) })
        try await client.ask(detach ? .one : .several, id: request) { bus, output throws(BusError) in
            let view = RunView(output, client)
            if detach {
                view.show(
                    try await bus.submit(PipelineName(pipeline), seeds: values, deadline: limit, id: request),
                    of: request
                )
                return .done
            }
            let run = try await bus.start(PipelineName(pipeline), seeds: values, deadline: limit, id: request)
            view.show(run.acceptance, of: request)
            return try await view.follow(run, on: bus, for: patience.limit)
        }
    }
}

/// A seed on the command line: `key=text` or `key:=JSON`.
struct SeedArgument {
    let key: String
    let value: JSONValue

    init(_ argument: String) throws {
        guard let equals = argument.firstIndex(of: "="), !argument.hasPrefix("="), !argument.hasPrefix(":=") else {
            throw ValidationError("A seed must have the form key=text or key:=JSON.")
        }
        let text = String(argument[argument.index(after: equals)...])
        let name = argument[..<equals]
        guard name.hasSuffix(":") else {
            (key, value) = (String(name), .string(text))
            return
        }
        (key, value) = (String(name.dropLast()), try Words.json(text))
    }
}

import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus run`, with its arguments and options.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a pipeline and shows its progress.",
        discussion: """
            Example: forgebus run deploy version=1.2.3 replicas=3

            A text after = stays a text for a seed of type string; for a seed of another type, it is read as JSON.

            Exits 0 if the run completed, 1 if it ended otherwise, and 75 if it has not ended after the time of \
            --wait. Ctrl-C ends only the command, not the run; the command then shows how to attach to the run again.
            """
    )

    @Argument(help: "The pipeline's name.", transform: Words.name)
    var pipeline: Name

    @Argument(help: "Seeds: key=text, or key:=JSON.", transform: SeedArgument.init)
    var seeds: [SeedArgument] = []

    @Option(
        help: ArgumentHelp(
            "How long the whole run may take, such as 90s or 3d. Waits count; the time in which it is parked does not.",
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var deadline: Duration?

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
            throw ValidationError("The seed `\(twice)` is given twice; give each seed once.")
        }
        try TimeSpan.check(deadline, "--deadline", from: .milliseconds(1), to: .seconds(31_536_000))
        if detach, patience.wait != nil {
            throw ValidationError("--detach does not wait: give either --detach or --wait.")
        }
    }

    func run() async throws {
        let request = id ?? .random()
        try await client.ask(detach ? .one : .several, id: request) { bus, output throws(BusError) in
            let texts = Set(seeds.lazy.filter(\.isText).map(\.key))
            var values = seeds.reduce(into: JSONObject()) { $0[$1.key] = $1.value }
            while true {
                do throws(BusError) { return try await begin(values, as: request, bus, output) } catch {
                    // A refusal leaves no trace, so the same request may be sent again.
                    guard let typed = values.retyped(after: error, among: texts) else { throw error }
                    values = typed
                }
            }
        }
    }

    private func begin(
        _ values: JSONObject,
        as request: RequestID,
        _ bus: BusClient,
        _ output: Output
    ) async throws(BusError) -> ExitStatus {
        let view = RunView(output, client)
        if detach {
            view.show(
                try await bus.submit(PipelineName(pipeline), seeds: values, deadline: deadline, id: request),
                of: request
            )
            return .done
        }
        let run = try await bus.start(PipelineName(pipeline), seeds: values, deadline: deadline, id: request)
        view.show(run.acceptance, of: request)
        return try await view.follow(run, on: bus, for: patience.wait)
    }
}

extension JSONObject {
    /// The seeds with another value for the one that the worker refused; nil if that would not help.
    ///
    /// The refused value must be one of `texts`, the seeds that were given after `=`, and JSON of the type that the worker
    /// expects: `12` for an integer.
    fileprivate func retyped(after error: BusError, among texts: Set<String>) -> JSONObject? {
        guard error.code == .badSeed, let key = error.details["seed"]?.string, texts.contains(key),
            let text = self[key]?.string,
            let value = try? JSONValue(parsing: Array(text.utf8)[...])
        else { return nil }
        let types = value.integer == nil ? [value.typeName] : ["integer", "number"]
        guard let expected = error.details["expected"]?.string, types.contains(expected) else { return nil }
        var seeds = self
        seeds[key] = value
        return seeds
    }
}

/// A seed on the command line: `key=text` or `key:=JSON`.
struct SeedArgument {
    let key: String
    let value: JSONValue
    /// Whether the value was given after `=`.
    let isText: Bool

    init(_ argument: String) throws {
        guard let equals = argument.firstIndex(of: "="), !argument.hasPrefix("="), !argument.hasPrefix(":=") else {
            throw ValidationError("It must have the form key=text or key:=JSON.")
        }
        let text = String(argument[argument.index(after: equals)...])
        let name = argument[..<equals]
        guard name.hasSuffix(":") else {
            (key, value, isText) = (String(name), .string(text), true)
            return
        }
        do {
            (key, value, isText) = (String(name.dropLast()), try JSONValue(parsing: Array(text.utf8)[...]), false)
        } catch {
            throw Errors.noJSON(error, for: name.dropLast(), text)
        }
    }
}

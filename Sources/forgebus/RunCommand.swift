import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// `forgebus run`.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a pipeline and shows how it goes.",
        discussion: "Exits 0 if the run completed, 1 if it ended otherwise."
    )

    @Argument(help: "Which pipeline.")
    var pipeline: NameArgument

    @Argument(help: "Seeds: key=text, or key:=JSON for anything else.")
    var seeds: [SeedArgument] = []

    @Option(help: "Seconds the whole run may take, waits included; the worker enforces it.")
    var deadline: Double?

    @Option(help: "The request's id: the same id with the same content is the same run.")
    var id: RequestIDArgument?

    @Flag(help: "Return as soon as the worker has taken it.")
    var detach = false

    @OptionGroup var client: ClientOptions

    func validate() throws {
        let keys = seeds.map(\.key)
        if let twice = keys.first(where: { key in keys.count { $0 == key } > 1 }) {
            throw ValidationError("The seed \(twice) is given twice.")
        }
        if let deadline, !(0.001...31_536_000).contains(deadline) {
            throw ValidationError("--deadline takes seconds, from 0.001 to 31536000.")
        }
    }

    func run() async throws {
        var object = JSONObject()
        for seed in seeds { object[seed.key] = seed.value }
        let (values, output) = (object, client.output)
        let limit = deadline.map { Duration.seconds($0) }
        let request = id?.id ?? .random()
        if detach {
            let acceptance = try await client.ask { bus throws(BusError) in
                try await bus.submit(pipeline.name, seeds: values, deadline: limit, id: request)
            }
            return output.show(RunEvent.accepted(acceptance), request)
        }
        let result = try await client.ask { bus throws(BusError) in
            try await bus.run(pipeline.name, seeds: values, deadline: limit, id: request) { output.show($0, request) }
        }
        show(result)
        if result.state != .completed { throw ExitStatus.runFailed.exit }
    }

    private func show(_ result: RunResult) {
        let reason = result.reason.isEmpty ? "" : "  \(result.reason)"
        var lines = ["\(result.state.rawValue.padded(to: 11))\(result.run)\(reason)"] + result.actions.map(\.line)
        if !result.outputs.isEmpty { lines.append("outputs    \(JSONValue.object(result.outputs))") }
        var object: JSONObject = ["event": "result", "run": .string(result.run.text)]
        object["state"] = .string(result.state.rawValue)
        if !result.reason.isEmpty { object["reason"] = .string(result.reason) }
        object["actions"] = .array(result.actions.map { .object($0.json) })
        object["outputs"] = .object(result.outputs)
        client.output.show(lines.joined(separator: "\n"), object)
    }
}

/// A seed on the command line: `key=text` or `key:=JSON`.
struct SeedArgument: ExpressibleByArgument {
    let key: String
    let value: JSONValue

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        let text = String(argument[argument.index(after: equals)...])
        let name = argument[..<equals]
        guard name.hasSuffix(":") else {
            (key, value) = (String(name), .string(text))
            return
        }
        guard name.count > 1, let json = try? JSONValue(parsing: Array(text.utf8)[...]) else { return nil }
        (key, value) = (String(name.dropLast()), json)
    }
}

extension OutputFormat {
    /// Prints what happens to a run before its end.
    func show(_ event: RunEvent, _ request: RequestID) {
        switch event {
        case .accepted(let acceptance):
            let run = acceptance.run?.text ?? ""
            show(
                "accepted   \(run)  (\(acceptance.durability.rawValue); request \(request))",
                [
                    "event": "accepted", "run": .string(run), "durability": .string(acceptance.durability.rawValue),
                    "id": .string(request.text),
                ]
            )
        case .progress(let progress):
            let change = progress.change
            show(change.line, change.json)
        }
    }
}

extension RunProgress.Change {
    /// One line for people.
    fileprivate var line: String {
        switch self {
        case .started(let action): "started    \(action)"
        case .finished(let action, .failed(let reason)): "failed     \(action)  \(reason)"
        case .finished(let action, let result): "\(result.word.padded(to: 11))\(action)"
        case .waiting(let action, let signal): "waiting    \(action)  for \(signal)"
        case .resumed(let action, let signal): "resumed    \(action)  \(signal) is decided"
        case .retrying(let action, let attempt, let after):
            "retrying   \(action)  attempt \(attempt) in \(after.readable)"
        case .parked(let action, let reason): "parked     \(action)  \(reason)"
        case .redriven(let action): "redriven   \(action)"
        }
    }

    /// The same for programs.
    fileprivate var json: JSONObject {
        switch self {
        case .started(let action): ["event": "started", "action": .string(action)]
        case .finished(let action, .failed(let reason)):
            ["event": "finished", "action": .string(action), "result": "failed", "reason": .string(reason)]
        case .finished(let action, let result):
            ["event": "finished", "action": .string(action), "result": .string(result.word)]
        case .waiting(let action, let signal):
            ["event": "waiting", "action": .string(action), "signal": .string(signal.text)]
        case .resumed(let action, let signal):
            ["event": "resumed", "action": .string(action), "signal": .string(signal.text)]
        case .retrying(let action, let attempt, let after):
            [
                "event": "retrying", "action": .string(action), "attempt": .integer(Int64(attempt)),
                "after_ms": .integer(after.milliseconds),
            ]
        case .parked(let action, let reason):
            ["event": "parked", "action": .string(action), "reason": .string(reason)]
        case .redriven(let action): ["event": "redriven", "action": .string(action)]
        }
    }
}

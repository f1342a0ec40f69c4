import ArgumentParser
import ForgeBusConfiguration
import ForgeBusProtocol
import Foundation
import ZeroMQ

/// The command `forgebus context`, with its arguments and options.
struct ContextCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context",
        abstract: "Names workers, so that commands need neither an endpoint nor keys.",
        discussion: """
            Example: forgebus context add production -e tcp://10.0.0.5:7777

            A command talks to the worker of --context, or of --endpoint or FORGEBUS_ENDPOINT, or of the current context. \
            The first context that is added is the current one; `forgebus context use` chooses another.
            """,
        subcommands: [Add.self, Use.self, Remove.self, List.self],
        defaultSubcommand: List.self
    )

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Adds a context.")

        @Argument(help: "The context's name.", transform: Words.name)
        var name: Name

        @Option(name: .shortAndLong, help: "The endpoint where the worker listens, tcp://host:port or ipc:///path.")
        var endpoint: String

        @OptionGroup var keys: KeyOptions

        func run() throws {
            do throws(ZeroMQError) { _ = try Endpoint(named: endpoint, [:]) } catch {
                throw ValidationError(Printable.escaped("\(error.message) \(error.next)"))
            }
            guard (keys.serverKey == nil) == (keys.own.certificate == nil) else { throw Errors.oneKeyOption }
            do throws(BusError) { _ = try keys.identity([:]) } catch {
                throw ValidationError(Printable.escaped("\(error.message) \(error.next)"))
            }
            var contexts = try Contexts(ProcessInfo.processInfo.environment)
            try contexts.add(
                name.text,
                Contexts.Context(
                    // A path must hold wherever a command is called.
                    endpoint: Self.isRelative(endpoint)
                        ? "ipc://\(Self.absolute(String(endpoint.dropFirst(6))))" : endpoint,
                    serverKey: keys.serverKey.map { KeyOptions.isKey($0) ? $0 : Self.absolute($0) },
                    certificate: keys.own.certificate.map(Self.absolute)
                )
            )
            try ContextCommand.say(contexts)
        }

        private static func isRelative(_ endpoint: String) -> Bool {
            endpoint.hasPrefix("ipc://") && !endpoint.hasPrefix("ipc:///") && !endpoint.hasPrefix("ipc://@")
        }

        private static func absolute(_ path: String) -> String { URL(filePath: path).standardizedFileURL.path }
    }

    struct Use: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a context the current one.")

        @Argument(help: "The context's name.")
        var name: String

        func run() throws {
            var contexts = try Contexts(ProcessInfo.processInfo.environment)
            try contexts.use(name)
            try ContextCommand.say(contexts)
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Removes a context; the worker is not affected.")

        @Argument(help: "The context's name.")
        var name: String

        func run() throws {
            var contexts = try Contexts(ProcessInfo.processInfo.environment)
            try contexts.remove(name)
            try ContextCommand.say(contexts)
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists the contexts; the current one has a star.")

        @OptionGroup var form: OutputOptions

        func run() throws {
            let contexts = try Contexts(ProcessInfo.processInfo.environment)
            let output = Output(form.output, .several)
            switch form.output {
            case .text: try ContextCommand.say(contexts)
            case .json, .jsonl:
                for (name, context) in contexts.all.sorted(by: { $0.key < $1.key }) {
                    var object: JSONObject = ["context": .string(name), "endpoint": .string(context.endpoint)]
                    object["server_key"] = context.serverKey.map { .string($0) }
                    object["certificate"] = context.certificate.map { .string($0) }
                    object["current"] = .bool(name == contexts.current)
                    output.show("", object)
                }
            }
            output.end()
            try Terminal.checkWritten()
        }
    }

    /// Prints the contexts as a table, and throws if it could not be written.
    private static func say(_ contexts: Contexts) throws {
        guard !contexts.all.isEmpty else {
            Terminal.say(["There is no context. To add one, type: forgebus context add NAME -e ENDPOINT"])
            return try Terminal.checkWritten()
        }
        var table = Table([.short(" "), .short("CONTEXT"), .short("ENDPOINT"), .wide("KEYS")])
        for (name, context) in contexts.all.sorted(by: { $0.key < $1.key }) {
            table.add([name == contexts.current ? "*" : "", name, context.endpoint, context.certificate ?? "none"])
        }
        Terminal.say(table.lines(width: Terminal.isInteractive ? max(60, Terminal.columns) : nil))
        let environment = ProcessInfo.processInfo.environment
        let variables = ["FORGEBUS_CONTEXT", "FORGEBUS_ENDPOINT"]
        if let variable = variables.first(where: { environment.named($0) != nil }) {
            Terminal.say([Errors.overriddenContext(variable, environment[variable] ?? "")])
        }
        try Terminal.checkWritten()
    }
}

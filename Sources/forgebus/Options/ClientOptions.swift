import ArgumentParser
import ForgeBusClient
import ForgeBusConfiguration
import ForgeBusProtocol
import Foundation
import Logging
import ZeroMQ

/// The options of every command that sends requests to a worker.
struct ClientOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: """
            The endpoint where the worker listens, tcp://host:port or ipc:///path (also FORGEBUS_ENDPOINT). By \
            default, it is that of the current context, or else the default endpoint of the workers of this user.
            """
    )
    var endpoint: String?

    @Option(help: "The name of a worker, from `forgebus context add` (also FORGEBUS_CONTEXT).")
    var context: String?

    @OptionGroup var keys: KeyOptions

    @Option(
        help: ArgumentHelp(
            "A label that tells the worker which program sends the request, at most 128 bytes.",
            valueName: "label"
        )
    )
    var source: String?

    @Option(
        help: ArgumentHelp(
            "How long to wait for an answer, such as 30s or 2m; 10s by default. If the worker is busy or not ready, the command sends the request again meanwhile.",
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var patience: Duration = .seconds(10)

    @OptionGroup var form: OutputOptions

    var output: OutputFormat { form.output }

    func validate() throws {
        try keys.requirePair(environment())
        try TimeSpan.check(patience, "--patience", from: .milliseconds(1), to: .seconds(86_400))
        _ = try worker()
    }

    /// The environment, in which a context replaces the variables with the worker's endpoint and keys.
    ///
    /// The current context counts only if nothing else says where the worker is: its keys are not for another worker.
    /// Keys that options or the environment name count before those of the current context.
    private func environment() throws -> [String: String] {
        let environment = ProcessInfo.processInfo.environment
        if context != nil, endpoint != nil { throw Errors.contextAndEndpoint }
        guard endpoint == nil else { return environment }
        if let name = context ?? environment.named("FORGEBUS_CONTEXT") {
            return environment.merging(try Contexts(environment).context(name).variables) { $1 }
        }
        guard environment.named("FORGEBUS_ENDPOINT") == nil else { return environment }
        let contexts = try Contexts(environment)
        guard let current = contexts.current else { return environment }
        return environment.merging(try contexts.context(current).variables) { $0.isEmpty ? $1 : $0 }
    }

    /// Whether the command has keys of its own.
    var hasKeys: Bool { (try? environment()).map { keys.areNamed(in: $0) } ?? false }

    /// The worker's endpoint: from the option, the environment or a context, or else the default endpoint.
    private func worker() throws -> Endpoint {
        let environment = try environment()
        let named = endpoint ?? environment.named("FORGEBUS_ENDPOINT")
        do throws(ZeroMQError) {
            return try Endpoint(named: named, environment)
        } catch {
            throw ValidationError(Printable.escaped("\(error.message) \(error.next)"))
        }
    }

    /// A command line of this program for the worker that these options name, in backticks, for people to copy.
    func call(_ words: String...) -> String { call(words) }

    /// A command line of this program for the worker that these options name, in backticks, for people to copy.
    func call(_ words: [String]) -> String { "`\(command(words.map(\.forShells)))`" }

    /// A command line of this program for the worker that these options name.
    ///
    /// The `words` appear as they are; the caller quotes them if a shell needs that.
    func command(_ words: [String]) -> String {
        let own = (endpoint.map { ["-e", $0] } ?? []) + (context.map { ["--context", $0] } ?? []) + keys.words
        return (["forgebus"] + words + own.map(\.forShells)).joined(separator: " ")
    }

    /// Sends requests to a worker, prints its answers, and ends the command with the right status.
    ///
    /// - Parameters:
    ///   - shape: Whether the command prints one result or several.
    ///   - request: The id of a request with an effect, or nil. After an interruption, the error says how to send the
    ///     request with this id again.
    ///   - conversation: Sends the requests, prints the answers, and returns the command's status.
    /// - Throws: An `ExitCode` for every status except ``ExitStatus/done``; an error of the bus is printed before that.
    func ask(
        _ shape: Output.Shape,
        id request: RequestID? = nil,
        _ conversation: @escaping @Sendable (BusClient, Output) async throws(BusError) -> ExitStatus
    ) async throws {
        let (endpoint, environment) = (try worker(), try environment())
        let output = Output(output, shape, ifInterrupted: .interrupted(request))
        let status: ExitStatus
        do throws(BusError) {
            let client = try connect(to: endpoint, environment)
            let notice = ConnectionNotice(client: client, endpoint: endpoint, patience: patience)
            let ending = await Interruption.ending { () throws(BusError) in
                // When the conversation ends, this task is cancelled and awaited.
                async let _ = notice.tell()
                return try await conversation(client, output)
            }
            await client.close()
            status = Self.status(of: ending, output, request)
        } catch {
            output.show(error)
            status = ExitStatus(error.code)
        }
        output.end()
        if status != .done { throw status.exit }
        try Terminal.checkWritten()
    }

    private static func status(
        of ending: Interruption.Ending<ExitStatus>,
        _ output: Output,
        _ request: RequestID?
    ) -> ExitStatus {
        switch ending.result {
        case .success(let status): return status
        case .failure(let error):
            // If the reader of the output has left, there is no message.
            if ending.status != .unread {
                output.show(ending.status == nil ? error.withID(of: request) : output.interruption)
            }
            return ending.status ?? ExitStatus(error.code)
        }
    }

    private func connect(to endpoint: Endpoint, _ environment: [String: String]) throws(BusError) -> BusClient {
        var logger = Logger(label: "forgebus") { StreamLogHandler.standardError(label: $0) }
        // A connection problem is reported only once, by the error that it causes.
        logger.logLevel = .error
        return try BusClient(
            endpoint,
            as: keys.identity(environment),
            source: source,
            patience: patience,
            logger: logger
        )
    }
}

extension BusError {
    /// The error, which also says how to send `request` again if its outcome is unknown: this program may have chosen
    /// the id; nil for a request without an id of its own, such as a notification.
    func withID(of request: RequestID?) -> BusError {
        guard [.timeout, .closed].contains(code) else { return self }
        let again = request.map { "repeat the command with --id \($0), so that the request is executed only once." }
        return BusError(
            code,
            message,
            next: next.replacing(Self.again, with: again ?? "send the request again."),
            retryAfter: retryAfter,
            details: details
        )
    }
}

extension Endpoint {
    /// Makes the endpoint with the text `named`, or the default endpoint for nil.
    init(named: String?, _ environment: [String: String]) throws(ZeroMQError) {
        do throws(ZeroMQError) {
            try self.init(named ?? DefaultEndpoint.text(environment: environment))
        } catch {
            guard named == nil else { throw error }
            // Only the variable can make the default endpoint invalid.
            throw Errors.defaultEndpoint(error)
        }
    }
}

extension String {
    /// The text as one word for a shell.
    var forShells: String {
        let isPlain = !isEmpty && utf8.allSatisfy { Self.plain.contains($0) }
        return isPlain ? self : "'\(replacing("'", with: #"'\''"#))'"
    }

    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,+@%".utf8)
}

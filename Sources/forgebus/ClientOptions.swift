import ArgumentParser
import ForgeBusClient
import ForgeBusConfiguration
import ForgeBusProtocol
import Foundation
import Logging
import ZeroMQ

/// What every command that asks a worker takes.
struct ClientOptions: ParsableArguments {
    @Option(name: [.short, .long], help: "Where the worker listens (also FORGEBUS_ENDPOINT).")
    var endpoint: String?

    @Option(help: "What this process calls itself: a label, at most 128 bytes.")
    var source: String?

    @Option(help: "Seconds a worker may take to answer; what it refuses for now is sent again within them.")
    var patience: Double = 10

    @Option(
        name: [.short, .customLong("output")],
        help: "How to print: text, json (one document) or jsonl (one object a line)."
    )
    var output: OutputFormat = .text

    func validate() throws {
        guard patience > 0, patience <= 86_400 else {
            throw ValidationError("--patience takes seconds, more than 0 and at most 86400.")
        }
    }

    /// Asks a worker, tells what it answers, and ends the command as that asks for.
    ///
    /// - Parameters:
    ///   - shape: How many things are told.
    ///   - conversation: Asks, tells, and says how the command ends.
    /// - Throws: An `ExitCode` for every end but ``ExitStatus/done``; an error of the bus is told before.
    func ask(
        _ shape: Output.Shape,
        _ conversation: (BusClient, Output) async throws(BusError) -> ExitStatus
    ) async throws {
        let output = Output(output, shape)
        let status: ExitStatus
        do throws(BusError) {
            status = try await talk(output, conversation)
        } catch {
            output.show(error)
            status = ExitStatus(error.code)
        }
        output.end()
        if status != .done { throw status.exit }
    }

    private func talk(
        _ output: Output,
        _ conversation: (BusClient, Output) async throws(BusError) -> ExitStatus
    ) async throws(BusError) -> ExitStatus {
        let client = try await connect()
        let result: Result<ExitStatus, BusError>
        do throws(BusError) { result = .success(try await conversation(client, output)) } catch {
            result = .failure(error)
        }
        await client.close()
        return try result.get()
    }

    private func connect() async throws(BusError) -> BusClient {
        let environment = ProcessInfo.processInfo.environment
        let text = endpoint ?? environment["FORGEBUS_ENDPOINT"] ?? DefaultEndpoint.text(environment: environment)
        let parsed: Endpoint
        do throws(ZeroMQError) {
            parsed = try Endpoint(text)
        } catch {
            throw BusError(.badName, error.message, next: error.next)
        }
        var logger = Logger(label: "forgebus") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return try await BusClient(parsed, source: source, patience: .seconds(patience), logger: logger)
    }
}

/// A name on the command line.
struct NameArgument: ExpressibleByArgument {
    let name: Name

    init?(argument: String) {
        guard let name = try? Name(argument) else { return nil }
        self.name = name
    }
}

/// A pattern of names on the command line.
struct PatternArgument: ExpressibleByArgument {
    let pattern: NamePattern

    init?(argument: String) {
        guard let pattern = try? NamePattern(argument) else { return nil }
        self.pattern = pattern
    }
}

/// A request id on the command line.
struct RequestIDArgument: ExpressibleByArgument {
    let id: RequestID

    init?(argument: String) {
        guard let id = try? RequestID(argument) else { return nil }
        self.id = id
    }
}

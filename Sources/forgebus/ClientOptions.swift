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

    @Option(help: "Seconds to wait for the first answer.")
    var patience: Double = 10

    @Option(name: [.short, .customLong("output")], help: "How to print: text, or json with one object a line.")
    var output: OutputFormat = .text

    func validate() throws {
        guard patience > 0, patience <= 86_400 else {
            throw ValidationError("--patience takes seconds, more than 0 and at most 86400.")
        }
    }

    /// Asks a worker, and turns what goes wrong into a sentence and an exit status.
    func ask<Answer: Sendable>(_ question: (BusClient) async throws(BusError) -> Answer) async throws -> Answer {
        do throws(BusError) {
            let client = try await connect()
            let result: Result<Answer, BusError>
            do throws(BusError) { result = .success(try await question(client)) } catch { result = .failure(error) }
            await client.close()
            return try result.get()
        } catch {
            output.show(error)
            throw ExitStatus(error.code).exit
        }
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

/// A request id on the command line.
struct RequestIDArgument: ExpressibleByArgument {
    let id: RequestID

    init?(argument: String) {
        guard let id = try? RequestID(argument) else { return nil }
        self.id = id
    }
}

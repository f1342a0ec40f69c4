import Foundation
import Subprocess

/// The program `forgebus gateway`.
struct GatewayProcess {
    private let arguments: [String]

    /// Makes a gateway for the worker at an endpoint.
    init(endpoint: String) { self.init(["--endpoint", endpoint]) }

    /// Makes a gateway with these arguments.
    init(_ arguments: [String]) { self.arguments = ["gateway", "--http", "127.0.0.1:0"] + arguments }

    /// Serves until `body` returns; `body` gets the gateway's port, and the figures of the gateway's process.
    func serve<Value: Sendable>(
        _ body: @Sendable (_ port: UInt16, _ figures: ProcessFigures) async throws -> Value
    ) async throws -> Value {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: program).deletingLastPathComponent().appending(path: "forgebus").path
        let ended = try await Subprocess.run(
            .path(.init(path)),
            arguments: .init(arguments),
            input: .none,
            output: .discarded,
            error: .sequence
        ) { execution in
            defer { try? execution.send(signal: .terminate) }
            let port = try await Self.port(said: execution.standardError)
            return try await body(port, ProcessFigures(execution.processIdentifier.value))
        }
        return ended.closureResult
    }

    private static func port(said lines: SubprocessOutputSequence) async throws -> UInt16 {
        for try await line in lines.strings() where line.contains("the gateway listens") {
            if let match = line.firstMatch(of: #/address=127\.0\.0\.1:([0-9]+)/#), let port = UInt16(match.output.1) {
                return port
            }
        }
        throw TransportMeasureFailure(description: "The gateway ended before it listened.")
    }
}

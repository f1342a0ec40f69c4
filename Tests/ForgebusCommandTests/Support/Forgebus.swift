import Foundation
import Subprocess
import Testing

/// The real program, as the build made it.
enum Forgebus {
    /// How a call of it ended, and what it said.
    struct Outcome: Sendable, CustomStringConvertible {
        let status: TerminationStatus
        let output: [String]
        let errors: [String]

        /// The exit status; nil if a signal ended it.
        var code: Int32? { if case .exited(let code) = status { code } else { nil } }

        var description: String { "\(status)\n" + (output + errors).joined(separator: "\n") }
    }

    /// Runs it to its end.
    static func run(_ arguments: [String], environment: [String: String?] = [:]) async throws -> Outcome {
        try await start(arguments, environment: environment) { _ in }.outcome
    }

    /// Runs what is refused, with so little patience that it does not try again, until it was told something in time.
    static func impatient(_ arguments: [String], environment: [String: String?] = [:]) async throws -> Outcome {
        while true {
            let outcome = try await run(arguments + ["--patience", "0.3"], environment: environment)
            if outcome.code != 124 { return outcome }
        }
    }

    /// Runs it, with `body` beside it; what `body` throws ends it.
    static func start<Result: Sendable>(
        _ arguments: [String],
        environment: [String: String?] = [:],
        body: @Sendable (RunningProcess) async throws -> Result
    ) async throws -> (result: Result, outcome: Outcome) {
        let (output, errors) = (Lines(), Lines())
        let ended = try await Subprocess.run(
            configuration(arguments, environment),
            input: .none,
            output: .sequence,
            error: .sequence
        ) { execution in
            async let outputEnds: Void = output.fill(from: execution.standardOutput)
            async let errorsEnd: Void = errors.fill(from: execution.standardError)
            let process = RunningProcess(output: output, errors: errors, number: execution.processIdentifier.value)
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body(process)) } catch {
                result = .failure(error)
                try? execution.send(signal: .kill)
            }
            _ = await (outputEnds, errorsEnd)
            return try result.get()
        }
        let outcome = Outcome(status: ended.terminationStatus, output: output.all, errors: errors.all)
        return (ended.closureResult, outcome)
    }

    static func configuration(_ arguments: [String], _ changes: [String: String?]) throws -> Configuration {
        var options = PlatformOptions()
        options.teardownSequence = [.send(signal: .kill, allowedDurationToNextStep: .seconds(1))]
        // What is set where the tests run must not reach the program.
        let ours = ProcessInfo.processInfo.environment.keys.filter {
            $0.hasPrefix("FORGEBUS") || ["NOTIFY_SOCKET", "STATE_DIRECTORY"].contains($0)
        }
        var defaults = Dictionary(uniqueKeysWithValues: ours.map { ($0, String?.none) })
        // A worker that is not told where to keep its store must not find that of whoever runs the tests.
        defaults["XDG_STATE_HOME"] = "/dev/null"
        let changes = defaults.merging(changes) { $1 }
        return Configuration(
            executable: .path(.init(try path)),
            arguments: Arguments(arguments),
            environment: .inherit.updating(
                Dictionary(uniqueKeysWithValues: changes.map { (Environment.Key(stringLiteral: $0), $1) })
            ),
            platformOptions: options
        )
    }

    /// It lies beside the test's own executable.
    static var path: String {
        get throws {
            #if os(Linux)
            let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let folder = URL(filePath: executable).deletingLastPathComponent()
            #else
            let bundle = try #require(Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") })
            let folder = bundle.bundleURL.deletingLastPathComponent()
            #endif
            return folder.appending(path: "forgebus").path
        }
    }
}

/// A call of the program that has not ended.
struct RunningProcess: Sendable {
    let output: Lines
    let errors: Lines
    let number: Int32

    func send(_ signal: Int32) { kill(number, signal) }
}

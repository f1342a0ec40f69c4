import Foundation
import Subprocess

/// The resources of an almost idle worker: memory, wake-ups, the time to its first answer.
///
/// Each is measured in its own process, because memory that one measure freed would hide the needs of the next one.
struct Footprint {
    /// A measure that is held against a limit instead of a floor.
    struct Amount {
        let name: String
        let unit: String
        let limit: Double
        let values: [Double]

        var median: Double { values.sorted()[values.count / 2] }
        var holds: Bool { median <= limit }
    }

    /// The words that ask for the measures.
    static let lines = ["signals", "waiting-runs", "idle"]

    /// What a line measures.
    static func line(_ name: String) async throws -> [Amount] {
        switch name {
        case "signals":
            let bytes = try await inProcessOfItsOwn(.signals)
            return [Amount(name: "a million signals announced", unit: "MiB", limit: 512, values: [bytes / 1_048_576])]
        case "waiting-runs":
            let bytes = try await inProcessOfItsOwn(.waitingRuns)
            return [Amount(name: "a run that waits at a gate", unit: "B", limit: 4096, values: [bytes])]
        case "idle": return try await IdleWorker().measure()
        default: fatalError("There is no line \(name); see Footprint.lines.")
        }
    }

    /// The measure that this program takes of itself when it is called with this word.
    enum OwnMeasure: String {
        case signals = "measure-signals"
        case waitingRuns = "measure-waiting-runs"

        /// Bytes.
        func value() async throws -> Double {
            switch self {
            case .signals: try await AnnouncedSignals(count: 1_000_000).residentBytes()
            case .waitingRuns: try await WaitingRuns(count: 50_000).residentBytesPerRun()
            }
        }
    }

    private static func inProcessOfItsOwn(_ measure: OwnMeasure) async throws -> Double {
        let ended = try await Subprocess.run(
            .path("/proc/self/exe"),
            arguments: [measure.rawValue],
            output: .string(limit: 4096),
            error: .currentStandardError
        )
        guard let value = Double(ended.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw TransportMeasureFailure(description: "\(measure.rawValue) ended with \(ended.terminationStatus).")
        }
        return value
    }
}

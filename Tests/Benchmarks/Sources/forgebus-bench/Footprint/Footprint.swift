import Foundation
import Subprocess

/// Measures the resources of an almost idle worker: its memory, its context switches and its start-up time.
///
/// Each measure has its own process. In a shared process, a measure would reuse memory that an earlier measure freed,
/// and the result would be too small.
struct Footprint {
    /// A measure that is compared with a fixed limit, if it has one.
    struct Amount {
        let name: String
        let unit: String
        let limit: Double?
        let values: [Double]

        var median: Double { values.sorted()[values.count / 2] }
        /// Whether the median is within `limit`; nil without one.
        var holds: Bool? { limit.map { median <= $0 } }
    }

    /// The command-line words that select the measures.
    static let lines = ["signals", "waiting-runs", "idle"]

    /// Takes the measures that `name` selects.
    static func line(_ name: String) async throws -> [Amount] {
        switch name {
        case "signals":
            let bytes = try await inProcessOfItsOwn(.signals)
            let name = "memory of a million announced signals"
            return [Amount(name: name, unit: "MiB", limit: 512, values: [bytes / 1_048_576])]
        case "waiting-runs":
            let bytes = try await inProcessOfItsOwn(.waitingRuns)
            return [Amount(name: "memory of a run that waits at a gate", unit: "B", limit: 4096, values: [bytes])]
        case "idle": return try await IdleWorker().measure()
        default: fatalError("There is no measure \(name); Footprint.lines lists the measures.")
        }
    }

    /// A measure of the memory of this process; the raw value is the command-line word that starts the measure.
    enum OwnMeasure: String {
        case signals = "measure-signals"
        case waitingRuns = "measure-waiting-runs"

        /// Takes the measure, in bytes: the memory of all signals, or the memory of one run.
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
            throw TransportMeasureFailure(
                description: "The process for \(measure.rawValue) printed no number: \(ended.terminationStatus)."
            )
        }
        return value
    }
}

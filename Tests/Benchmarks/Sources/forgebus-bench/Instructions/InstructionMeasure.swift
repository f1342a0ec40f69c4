import Foundation
import Subprocess

/// Counts with valgrind's callgrind the instructions that a worker executes for one request.
///
/// Whole processes vary, differences do not: the cost of a request is the difference between a process that handled many
/// and one that handled few, by the difference in requests. Each request is sent after the answer to the one before it.
struct InstructionMeasure {
    /// How often each cost is measured; the table shows the median.
    var repetitions = 3

    private static let few: UInt64 = 100
    private static let many: UInt64 = 500

    /// Measures all costs, compared with what ``Recorded`` has of an earlier version.
    func printAll() async throws {
        let directory = try BenchDirectory()
        defer { directory.remove() }
        let program = directory.file("forgebus-bench")
        // Valgrind gives up on the program with all its debugging information.
        let stripped = try await Subprocess.run(
            .name("strip"),
            arguments: [
                "-g", "-o", program, try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            ],
            output: .discarded,
            error: .currentStandardError
        )
        guard stripped.terminationStatus.isSuccess else {
            throw TransportMeasureFailure(description: "strip failed: \(stripped.terminationStatus).")
        }
        for kind in CountedHost.allCases {
            var comparison = TransportComparison(
                name: kind.name,
                unit: "instructions",
                moreIsBetter: false,
                target: kind.target
            )
            for _ in 0..<repetitions {
                let few = try await count(kind, program, Self.few)
                let many = try await count(kind, program, Self.many)
                comparison.ours.append((many - few) / Double(Self.many - Self.few))
                comparison.floor.append(kind.earlier)
            }
            Table.row(comparison)
        }
    }

    /// Counts the instructions of a host that handles this number of requests.
    private func count(_ kind: CountedHost, _ program: String, _ requests: UInt64) async throws -> Double {
        let ended = try await Subprocess.run(
            .name("valgrind"),
            arguments: ["--tool=callgrind", "--callgrind-out-file=/dev/null", program, kind.rawValue],
            input: .inputWriter,
            output: .sequence,
            error: .string(limit: 1 << 20)
        ) { execution in
            var endpoint: String?
            for try await line in execution.standardOutput.strings() {
                endpoint = line.trimmingCharacters(in: .whitespacesAndNewlines)
                break
            }
            guard let endpoint else {
                throw TransportMeasureFailure(description: "The host of \(kind.rawValue) told no endpoint.")
            }
            try await onThread {
                _ = try FloorClient(frames: kind.frames)
                    .run(endpoint: endpoint, count: requests, window: 1, answersPerRequest: kind.answers)
            }
            try await execution.standardInputWriter.finish()
        }
        let words = ended.standardError.firstMatch(of: #/Collected : ([0-9]+)/#)
        guard let words, let count = Double(words.output.1) else {
            throw TransportMeasureFailure(description: "callgrind counted nothing for \(kind.rawValue).")
        }
        return count
    }
}

extension CountedHost {
    fileprivate var name: String {
        switch self {
        case .notify: "NOTIFY and ACCEPTED"
        case .run: "RUN of three actions, memory"
        case .complete: "COMPLETE, waiter resumed"
        case .storedRun: "RUN of three actions, fsynced"
        case .receive: "an awaited receive, and a send"
        }
    }

    fileprivate var frames: BusFrames {
        switch self {
        case .notify, .receive: .notify
        case .run, .storedRun: .run
        case .complete: .complete
        }
    }

    fileprivate var answers: UInt32 {
        switch self {
        case .notify, .receive, .complete: 1
        case .run, .storedRun: 2
        }
    }
}

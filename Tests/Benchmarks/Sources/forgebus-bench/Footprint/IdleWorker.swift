import Foundation
import Subprocess

/// Measures the program `forgebus worker` with its built-in demonstration and no requests.
struct IdleWorker {
    /// How many workers are started, one after another; the medians are reported.
    var samples = 5

    /// How long the context switches of each worker are counted.
    var watch = Duration.seconds(10)

    func measure() async throws -> [Footprint.Amount] {
        var (ready, resident, switches): ([Double], [Double], [Double]) = ([], [], [])
        for sample in 0...samples {
            let found = try await observe(for: sample == 0 ? .zero : watch)
            // The first start does not count, because it reads the program from the disk.
            guard sample > 0 else { continue }
            ready.append(found.ready)
            resident.append(found.resident / 1_048_576)
            switches.append(found.switches)
        }
        return [
            Footprint.Amount(name: "time from exec to ready", unit: "ms", limit: 150, values: ready),
            Footprint.Amount(name: "memory of an idle worker", unit: "MiB", limit: 40, values: resident),
            Footprint.Amount(name: "context switches in 10 s", unit: "", limit: 20, values: switches),
        ]
    }

    private func observe(for watch: Duration) async throws -> (ready: Double, resident: Double, switches: Double) {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: program).deletingLastPathComponent().appending(path: "forgebus").path
        let started = ContinuousClock.now
        let ended = try await Subprocess.run(
            .path(.init(path)),
            arguments: ["worker", "--listen", "tcp://127.0.0.1:*"],
            input: .none,
            output: .discarded,
            error: .sequence
        ) { execution in
            defer { try? execution.send(signal: .terminate) }
            try await Self.readiness(said: execution.standardError)
            let ready = started.duration(to: .now)
            let figures = ProcessFigures(execution.processIdentifier.value)
            // After 3 s, the first cycle of each monitor has ended: it begins within a second and runs a command.
            try await Task.sleep(for: .seconds(3))
            let before = try figures.contextSwitches
            try await Task.sleep(for: watch)
            return (ready.inSeconds * 1000, try figures.residentBytes, try figures.contextSwitches(since: before))
        }
        return ended.closureResult
    }

    /// Returns when the worker's log says that it is ready.
    private static func readiness(said lines: SubprocessOutputSequence) async throws {
        for try await line in lines.strings() where line.contains("ready") { return }
        throw TransportMeasureFailure(description: "The worker ended before it was ready.")
    }
}

import BenchActions
import CFloor
import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator
import Logging
import ZeroMQ

/// Compares a whole worker with a server in plain C that answers each message with one message and decides nothing.
///
/// The same client in plain C sends the requests to both.
struct BusMeasure {
    /// The number of pairs: each has one sample of the worker and one of C.
    ///
    /// The table shows the median and the spread.
    var pairs = 5

    /// The number of requests in one sample; up to 64 requests are unanswered at the same time.
    var requests: UInt64 = 100_000

    /// The number of requests in one sample; each request is sent after the answer to the request before it.
    var roundTrips: UInt64 = 10_000

    /// The command-line words that select the table's lines, in the order in which the lines are printed.
    static let lines = ["notify", "run", "bare-run", "latency", "complete", "bare-complete"]

    /// The keys of the server and the client; nil for connections without encryption.
    var keys: CurveKeys?

    /// Measures and prints the lines of the table that `name` selects.
    func print(_ name: String) async throws {
        switch name {
        case "notify":
            Table.row(try await throughput("NOTIFY and ACCEPTED, window 64", .notify, answers: 1, target: 0.7))
        case "run": Table.row(try await throughput("RUN, memory, window 64", .run, answers: 2, target: 0.4))
        case "bare-run": for kind in BareRun.allCases { Table.row(try await bare(kind)) }
        case "latency": Table.row(try await roundTrip("RUN, memory, window 1, p50", .run, answers: 2, target: 2))
        case "complete": Table.row(try await completions())
        case "bare-complete": for areAwaited in [false, true] { Table.row(try await bareCompletions(areAwaited)) }
        default: fatalError("There is no measure \(name); BusMeasure.lines lists the measures.")
        }
    }

    private func comparison(
        _ name: String,
        _ unit: String,
        moreIsBetter: Bool,
        _ target: Double?
    ) -> TransportComparison {
        let name = keys == nil ? name : name + ", CURVE"
        return TransportComparison(name: name, unit: unit, moreIsBetter: moreIsBetter, target: target)
    }

    private func throughput(
        _ name: String,
        _ frames: BusFrames,
        answers: UInt32,
        target: Double
    ) async throws -> TransportComparison {
        var comparison = self.comparison(name, "1/s", moreIsBetter: true, target)
        try await alternate(&comparison) {
            let run = try await askWorker(frames, count: requests, window: 64, answers: answers)
            return Double(run.completed) / run.elapsed.inSeconds
        } floor: {
            let run = try await FloorEcho(frames: frames, keys: keys).run(count: requests, window: 64)
            return Double(run.completed) / run.elapsed.inSeconds
        }
        return comparison
    }

    /// Measures an upper limit for runs per second, with a server that answers like a worker but decides nothing.
    private func bare(_ kind: BareRun) async throws -> TransportComparison {
        var comparison = self.comparison(kind.name, "1/s", moreIsBetter: true, nil)
        try await alternate(&comparison) {
            let run = try await kind.serve(keys) { try await ask($0, .run, count: requests, window: 64, answers: 2) }
            return Double(run.completed) / run.elapsed.inSeconds
        } floor: {
            let run = try await FloorEcho(frames: .run, keys: keys).run(count: requests, window: 64)
            return Double(run.completed) / run.elapsed.inSeconds
        }
        return comparison
    }

    private func roundTrip(
        _ name: String,
        _ frames: BusFrames,
        answers: UInt32,
        target: Double
    ) async throws -> TransportComparison {
        var comparison = self.comparison(name, "µs", moreIsBetter: false, target)
        try await alternate(&comparison) {
            try await askWorker(frames, count: roundTrips, window: 1, answers: answers).median.inMicroseconds
        } floor: {
            try await FloorEcho(frames: frames, keys: keys).run(count: roundTrips, window: 1).median.inMicroseconds
        }
        return comparison
    }

    /// Measures completions per second, with up to 64 unanswered requests; each completion resumes a waiting task.
    private func completions() async throws -> TransportComparison {
        var comparison = self.comparison("COMPLETE, waiter resumed, window 64", "1/s", moreIsBetter: true, 0.6)
        try await alternate(&comparison) {
            let elapsed = try await worker.serve { worker, endpoint in
                try await Completions(count: requests, window: 64, keys: keys).run(on: worker, at: endpoint)
            }
            return Double(requests) / elapsed.inSeconds
        } floor: {
            let run = try await FloorEcho(frames: .complete, keys: keys).run(count: requests, window: 64)
            return Double(run.completed) / run.elapsed.inSeconds
        }
        return comparison
    }

    /// Measures an upper limit for completions per second, with a server that answers as a worker but decides nothing.
    ///
    /// If `areAwaited` is true, the server also resumes a waiter for each signal.
    private func bareCompletions(_ areAwaited: Bool) async throws -> TransportComparison {
        let steps = areAwaited ? "answer and resume a waiter" : "answer only"
        let name = "COMPLETE, upper limit: \(steps)"
        var comparison = self.comparison(name, "1/s", moreIsBetter: true, nil)
        let completions = Completions(count: requests, window: 64, keys: keys)
        try await alternate(&comparison) {
            let signals = areAwaited ? (0..<requests).map { _ in CompletionSignal() } : []
            let elapsed = try await BareCompletion.serve(signals, keys) { endpoint in
                guard areAwaited else {
                    return try await ask(endpoint, .complete, count: requests, window: 64, answers: 1).elapsed
                }
                return try await completions.run(signals, at: endpoint)
            }
            return Double(requests) / elapsed.inSeconds
        } floor: {
            let run = try await FloorEcho(frames: .complete, keys: keys).run(count: requests, window: 64)
            return Double(run.completed) / run.elapsed.inSeconds
        }
        return comparison
    }

    /// A new worker for each sample, so that each sample begins with an empty ledger.
    private var worker: BenchWorker { BenchWorker(waitingSignals: Int(requests), keys: keys) }

    private func askWorker(_ frames: BusFrames, count: UInt64, window: UInt32, answers: UInt32) async throws -> FloorRun
    {
        try await worker.serve { try await ask($1, frames, count: count, window: window, answers: answers) }
    }

    private func ask(
        _ endpoint: String,
        _ frames: BusFrames,
        count: UInt64,
        window: UInt32,
        answers: UInt32
    ) async throws -> FloorRun {
        try await onThread {
            try FloorClient(frames: frames, keys: keys)
                .run(endpoint: endpoint, count: count, window: window, answersPerRequest: answers)
        }
    }

    private func alternate(
        _ comparison: inout TransportComparison,
        ours: () async throws -> Double,
        floor: () async throws -> Double
    ) async throws {
        for pair in 0...pairs {
            let sample = (ours: try await ours(), floor: try await floor())
            // The first pair warms up.
            guard pair > 0 else { continue }
            comparison.ours.append(sample.ours)
            comparison.floor.append(sample.floor)
        }
    }
}

extension BusFrames {
    /// A notification with a body of 64 bytes.
    static let notify = BusFrames()

    /// A run with three seeds: string, integer, array.
    static let run = BusFrames(
        command: "FORGE/1 RUN",
        subject: "feed",
        body: #"{"user":"ada","limit":20,"tags":["swift","messaging"]}"#
    )

    /// A completion with a value of 64 bytes, for a signal that nobody else completes.
    ///
    /// COMPLETE does not accept `deadline_ms`, so the message has another attribute of about the same size.
    static let complete = BusFrames(
        command: "FORGE/1 COMPLETE",
        subject: "deploy.finished.000000000000",
        hasUniqueSubject: true,
        attribute: #""keep_ms":30000"#,
        body: #"{"ticket":"OPS-4711","status":"deployed","revision":"9a1b3f2a9"}"#
    )
}

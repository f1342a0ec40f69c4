import CFloor
import ForgeBusSQLite
import ForgeBusStore

/// Compares a worker that has a store on disk with the speed of the disk itself.
///
/// The speed of the disk is measured as the rows per second of a loop that only writes to SQLite, or as the time of an
/// `fsync`. Both measures use the same disk and the same process as the worker.
struct DurableMeasure {
    /// The number of pairs: each has one sample of the worker and one of the disk.
    ///
    /// The table shows median and spread.
    var pairs = 5

    /// The number of requests in one sample; up to 64 requests are unanswered at the same time.
    var requests: UInt64 = 50_000

    /// The number of requests in one sample; each request is sent after the answer to the request before it.
    var roundTrips: UInt64 = 2_000

    /// The number of records that a starting worker loads from its store.
    var records = 100_000

    /// The command-line words that select the table's lines, in the order in which the lines are printed.
    static let lines = ["durable-run", "bare-durable-run", "durable-latency", "recovery"]

    /// Measures and prints the lines of the table that `name` selects.
    func print(_ name: String) async throws {
        switch name {
        case "durable-run": try await runs()
        case "bare-durable-run": Table.row(try await bareRuns())
        case "durable-latency":
            Table.row(try await latency("ACCEPTED, fsynced, window 1, p50", .acceptedRun))
            Table.row(try await latency("VERDICT, fsynced, window 1, p50", .complete))
        case "recovery": Table.row(try await recovery())
        default: fatalError("There is no measure \(name); DurableMeasure.lines lists the measures.")
        }
    }

    /// Measures runs per second, compared with the rows per second of ``BareDisk`` with equally large transactions.
    ///
    /// It also measures how often the store waited for the disk, as `fsync` calls per thousand runs.
    private func runs() async throws {
        var comparison = TransportComparison(
            name: "RUN, fsynced, window 64, 64 slots, rows",
            unit: "1/s",
            moreIsBetter: true,
            target: 0.25
        )
        var waits: [Double] = []
        for pair in 0...pairs {
            let sample = try await askedOfWorker(.run, count: requests, window: 64, answers: 2)
            let rows = try await BareDisk().rowsPerSecond(UInt64(sample.cost.rows), batch: sample.cost.rowsPerGroup)
            // The first pair warms up.
            guard pair > 0 else { continue }
            comparison.ours.append(Double(requests) / sample.run.elapsed.inSeconds)
            comparison.floor.append(rows)
            waits.append(Double(sample.cost.fsyncs) * 1_000 / Double(requests))
        }
        Table.row(comparison)
        Table.row(Footprint.Amount(name: "fsyncs per thousand of these runs", unit: "", limit: 60, values: waits))
    }

    /// Measures an upper limit for durable runs per second, with the server ``BareDurableRun`` instead of a worker.
    private func bareRuns() async throws -> TransportComparison {
        var comparison = TransportComparison(
            name: "RUN, upper limit: answers and two rows",
            unit: "1/s",
            moreIsBetter: true,
            target: nil
        )
        for pair in 0...pairs {
            let (run, batch) = try await BareDurableRun.serve { endpoint in
                try await onThread {
                    try FloorClient(frames: .run)
                        .run(endpoint: endpoint, count: requests, window: 64, answersPerRequest: 2)
                }
            }
            let rows = try await BareDisk().rowsPerSecond(2 * requests, batch: max(1, batch))
            guard pair > 0 else { continue }
            comparison.ours.append(Double(requests) / run.elapsed.inSeconds)
            comparison.floor.append(rows)
        }
        return comparison
    }

    /// Measures a round trip, compared with a round trip in plain C and two `fsync` calls.
    private func latency(_ name: String, _ frames: BusFrames) async throws -> TransportComparison {
        var comparison = TransportComparison(name: name, unit: "µs", moreIsBetter: false, target: 1)
        for pair in 0...pairs {
            let ours = try await askedOfWorker(frames, count: roundTrips, window: 1, answers: 1).run.median
            let echo = try await FloorEcho(frames: frames).run(count: roundTrips, window: 1).median
            let disk = try await BareDisk().fsync()
            guard pair > 0 else { continue }
            comparison.ours.append(ours.inMicroseconds)
            comparison.floor.append((echo + disk * 2).inMicroseconds)
        }
        return comparison
    }

    /// Measures how long a store takes to load all its records.
    private func recovery() async throws -> Footprint.Amount {
        let directory = try BenchDirectory()
        defer { directory.remove() }
        let path = directory.file("store.sqlite")
        try await EndedRuns(count: records).fill(path)
        var times: [Double] = []
        for _ in 0..<pairs {
            let store = SQLiteStore(path: path)
            let start = ContinuousClock.now
            let kept = try await store.load()
            times.append((ContinuousClock.now - start).inSeconds * 1000)
            await store.close()
            guard kept.count == records else {
                throw TransportMeasureFailure(description: "The store loaded only \(kept.count) of \(records) records.")
            }
        }
        return Footprint.Amount(name: "loading \(records) ended runs", unit: "ms", limit: 1000, values: times)
    }

    /// Sends the requests to a worker with a store in a file; returns the result and what the store cost.
    func askedOfWorker(
        _ frames: BusFrames,
        count: UInt64,
        window: UInt32,
        answers: UInt32
    ) async throws -> (run: FloorRun, cost: StoreCost) {
        let directory = try BenchDirectory()
        defer { directory.remove() }
        let store = SQLiteStore(path: directory.file("store.sqlite"))
        // There is a slot for each of the 64 unanswered requests. The worker writes the start of a queued run
        // separately, and the queue would therefore cost additional rows.
        let worker = BenchWorker(pipelines: [.feed(slots: 64)], earlyDecisions: Int(count), store: store)
        return try await worker.serve { _, endpoint in
            let run = try await onThread {
                try FloorClient(frames: frames)
                    .run(endpoint: endpoint, count: count, window: window, answersPerRequest: answers)
            }
            return (run, try await StoreCost(of: store))
        }
    }
}

extension BusFrames {
    /// A run whose sender waits only for the acceptance.
    static let acceptedRun = BusFrames(
        command: "FORGE/1 RUN",
        subject: "feed",
        attribute: #""reply":"accepted""#,
        body: #"{"user":"ada","limit":20,"tags":["swift","messaging"]}"#
    )
}

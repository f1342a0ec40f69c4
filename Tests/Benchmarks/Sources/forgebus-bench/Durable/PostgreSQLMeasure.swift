import CFloor
import ForgeBusPostgreSQL
import ForgeBusStore
import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// Compares a worker that has its store in PostgreSQL with `pgbench`, which only inserts rows into the same server.
struct PostgreSQLMeasure {
    /// The URL of an empty database.
    let url: String
    /// The directory of the PostgreSQL programs, such as `pgbench`.
    let programs: String

    /// The number of pairs: each has one sample of the worker and one of pgbench.
    var pairs = 5
    /// The number of runs in one sample; up to 64 of them are unanswered at the same time.
    var requests: UInt64 = 20_000
    /// The number of runs in one sample; each run is requested after the answer to the run before it.
    var roundTrips: UInt64 = 1_000

    /// The command-line words that select the table's lines.
    static let lines = ["postgresql-run", "postgresql-latency", "postgresql-takeover"]

    /// Makes a measure from `FORGE_POSTGRESQL` and `FORGE_POSTGRESQL_PROGRAMS`; nil if one of them is missing.
    init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let url = environment["FORGE_POSTGRESQL"], let programs = environment["FORGE_POSTGRESQL_PROGRAMS"] else {
            return nil
        }
        (self.url, self.programs) = (url, programs)
    }

    /// Measures and prints the lines of the table that `name` selects.
    func print(_ name: String) async throws {
        switch name {
        case "postgresql-run": for row in try await runs() { Table.row(row) }
        case "postgresql-latency": Table.row(try await latency())
        case "postgresql-takeover":
            let (lease, most) = (Duration.seconds(2), Duration.seconds(4))
            Table.row(try await takeover(of: 100_000, lease: lease, within: most))
            Table.row(try await takeover(of: 1_000_000, lease: lease, within: nil))
        default: fatalError("There is no measure \(name); PostgreSQLMeasure.lines lists the measures.")
        }
    }

    /// Measures runs per second, compared with two other values.
    ///
    /// The first is the number of runs whose rows `pgbench` inserts per second. The second is the runs per second of a
    /// worker with a store in a file.
    private func runs() async throws -> [TransportComparison] {
        var comparison = TransportComparison(
            name: "RUN in PostgreSQL, window 64, 64 slots",
            unit: "1/s",
            moreIsBetter: true,
            target: 0.5
        )
        var others = TransportComparison(
            name: "the same beside a store in SQLite",
            unit: "1/s",
            moreIsBetter: true,
            target: nil
        )
        for pair in 0...pairs {
            let store = PostgreSQLStore(url, name: "run-\(pair)")
            var cost: StoreCost?
            let run = try await ask(.run, store, count: requests, window: 64, answers: 2) {
                cost = try await StoreCost(of: store)
            }
            let file = try await DurableMeasure().askedOfWorker(.run, count: requests, window: 64, answers: 2).run
            guard let cost else {
                throw TransportMeasureFailure(description: "The store ended before it told its cost.")
            }
            let rowsPerRun = Double(cost.rows) / Double(requests)
            let rows = try await insertions(of: cost.rowsPerGroup).rowsPerSecond
            guard pair > 0 else { continue }
            let ours = Double(requests) / run.elapsed.inSeconds
            comparison.ours.append(ours)
            comparison.floor.append(rows / rowsPerRun)
            others.ours.append(ours)
            others.floor.append(Double(requests) / file.elapsed.inSeconds)
        }
        return [comparison, others]
    }

    /// Measures the time until a run is accepted, compared with a transaction of two rows by pgbench.
    private func latency() async throws -> TransportComparison {
        var comparison = TransportComparison(
            name: "ACCEPTED in PostgreSQL, window 1, p50",
            unit: "µs",
            moreIsBetter: false,
            target: nil
        )
        for pair in 0...pairs {
            let store = PostgreSQLStore(url, name: "latency-\(pair)")
            let ours = try await ask(.acceptedRun, store, count: roundTrips, window: 1, answers: 1) {}.median
            let floor = try await insertions(of: 2).latency
            guard pair > 0 else { continue }
            comparison.ours.append(ours.inMicroseconds)
            comparison.floor.append(floor.inMicroseconds)
        }
        return comparison
    }

    /// Measures how long another process needs to take over a failed worker: until its lease has ended and its records
    /// are loaded.
    private func takeover(of count: Int, lease: Duration, within limit: Duration?) async throws -> Footprint.Amount {
        let name = "takeover-\(count)"
        var options = PostgreSQLStoreOptions()
        (options.lease, options.margin) = (lease, lease / 5)
        let first = PostgreSQLStore(url, name: name, options: options)
        _ = try await first.load()
        try await EndedRuns(count: count).fill(first)
        first.lease?.keepUntilItEnds()
        await first.close()
        var times: [Double] = []
        for _ in 0..<pairs {
            // The time includes the rest of the lease that the previous store has kept.
            let store = PostgreSQLStore(url, name: name, options: options)
            let start = ContinuousClock.now
            let kept = try await store.load()
            times.append((ContinuousClock.now - start).inSeconds * 1000)
            store.lease?.keepUntilItEnds()
            await store.close()
            guard kept.count == count else {
                throw TransportMeasureFailure(description: "The store loaded only \(kept.count) of \(count) records.")
            }
        }
        return Footprint.Amount(
            name: "taking over \(count) records",
            unit: "ms",
            limit: limit.map { $0 / .milliseconds(1) },
            values: times
        )
    }

    private func ask(
        _ frames: BusFrames,
        _ store: any BusStore,
        count: UInt64,
        window: UInt32,
        answers: UInt32,
        _ then: () async throws -> Void
    ) async throws -> FloorRun {
        try await BenchWorker(pipelines: [.feed(slots: 64)], store: store).serve { _, endpoint in
            let run = try await onThread {
                try FloorClient(frames: frames)
                    .run(endpoint: endpoint, count: count, window: window, answersPerRequest: answers)
            }
            try await then()
            return run
        }
    }

    /// What pgbench reports about transactions of `count` rows each; the rows are about as large as the worker's rows.
    private func insertions(of count: Int) async throws -> (rowsPerSecond: Double, latency: Duration) {
        let directory = try BenchDirectory()
        defer { directory.remove() }
        let script = directory.file("insert.sql")
        let table =
            "CREATE TABLE IF NOT EXISTS floor (kind smallint, key bytea, value bytea, summary json, PRIMARY KEY (kind, key))"
        try """
        INSERT INTO floor SELECT 2, decode(md5(random()::text || i), 'hex'),
        decode(repeat('61', \(BareDisk.valueSize)), 'hex'), '{"pipeline":"feed","principal":"local"}'
        FROM generate_series(1, \(count)) AS i;
        """.replacing("\n", with: " ").write(toFile: script, atomically: true, encoding: .utf8)
        _ = try await output(of: "psql", "-qX", "-c", table, url)
        let report = try await output(
            of: "pgbench",
            "--no-vacuum",
            "--protocol=prepared",
            "--client=1",
            "--time=4",
            "--file=\(script)",
            url
        )
        func number(_ words: String) throws -> Double {
            guard let line = report.split(separator: "\n").first(where: { $0.hasPrefix(words) }),
                let value = line.dropFirst(words.count).split(separator: " ").first.flatMap({ Double($0) })
            else { throw TransportMeasureFailure(description: "pgbench did not report its \(words): \(report)") }
            return value
        }
        return (
            try number("tps = ") * Double(count),
            .nanoseconds(Int64(try number("latency average = ") * 1e6))
        )
    }

    private func output(of program: String, _ arguments: String...) async throws -> String {
        let result = try await Subprocess.run(
            .path(FilePath("\(programs)/\(program)")),
            arguments: Arguments(arguments),
            output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 16)
        )
        guard result.terminationStatus.isSuccess else {
            throw TransportMeasureFailure(description: "\(program) failed: \(result.standardError)")
        }
        return result.standardOutput
    }
}

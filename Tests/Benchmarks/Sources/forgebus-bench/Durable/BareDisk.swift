import CFloor

/// Measures the disk alone, in plain C, as the value that a durable store is compared with.
struct BareDisk {
    /// The size of a row in bytes, about the size of a row in the worker's store.
    static let valueSize: UInt32 = 220

    /// The rows per second of a loop that only writes to SQLite, with `batch` rows per transaction.
    ///
    /// The loop writes at most 200,000 rows, even if `rows` is greater.
    func rowsPerSecond(_ rows: UInt64, batch: Int) async throws -> Double {
        try await onThread {
            let directory = try BenchDirectory()
            defer { directory.remove() }
            var elapsed: UInt64 = 0
            let count = min(rows, 200_000)
            let error = cfloor_rows(directory.file("bare.sqlite"), count, UInt32(batch), Self.valueSize, &elapsed)
            guard error == 0 else {
                throw TransportMeasureFailure(description: "The bare SQLite loop failed: errno \(error).")
            }
            return Double(count) / (Double(elapsed) / 1e9)
        }
    }

    /// The median time of one `fsync` after a page was appended to a file.
    func fsync() async throws -> Duration {
        try await onThread {
            let directory = try BenchDirectory()
            defer { directory.remove() }
            var median: UInt64 = 0
            let error = cfloor_fsync(directory.file("bare"), 500, &median)
            guard error == 0 else {
                throw TransportMeasureFailure(description: "The measurement of the disk failed: errno \(error).")
            }
            return .nanoseconds(Int64(median))
        }
    }
}

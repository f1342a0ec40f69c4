import CFloor

/// The speed of the disk alone: the floor of a durable store, in plain C.
struct BareDisk {
    /// About the bytes of a row of ours.
    static let valueSize: UInt32 = 220

    /// Rows a second of a bare SQLite loop that commits so many at once, at most a second or two of them.
    func rowsPerSecond(_ rows: UInt64, batch: Int) async throws -> Double {
        try await onThread {
            let directory = try BenchDirectory()
            defer { directory.remove() }
            var elapsed: UInt64 = 0
            let count = min(rows, 200_000)
            let error = cfloor_rows(directory.file("bare.sqlite"), count, UInt32(batch), Self.valueSize, &elapsed)
            guard error == 0 else {
                throw TransportMeasureFailure(description: "The bare SQLite loop stopped: errno \(error).")
            }
            return Double(count) / (Double(elapsed) / 1e9)
        }
    }

    /// The median time until an appended page is on the disk.
    func fsync() async throws -> Duration {
        try await onThread {
            let directory = try BenchDirectory()
            defer { directory.remove() }
            var median: UInt64 = 0
            let error = cfloor_fsync(directory.file("bare"), 500, &median)
            guard error == 0 else {
                throw TransportMeasureFailure(description: "The disk could not be measured: errno \(error).")
            }
            return .nanoseconds(Int64(median))
        }
    }
}

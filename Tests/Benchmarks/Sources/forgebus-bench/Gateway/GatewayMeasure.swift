import ForgeBusStore

/// Measures a gateway in a process of its own, whose worker is in this process.
struct GatewayMeasure {
    /// The number of pairs: each has one sample of the gateway and one of ZeroMQ.
    var pairs = 5
    /// The number of requests in one sample; each request is sent after the answer to the request before it.
    var roundTrips = 5_000
    /// How often a page is loaded.
    var loads = 50
    /// The number of kept runs.
    var runs = 100_000

    /// The command-line words that select the measures.
    static let lines = ["http-run", "console", "gateway-memory"]

    /// Measures and prints the lines of the table that `name` selects.
    func print(_ name: String) async throws {
        switch name {
        case "http-run": Table.row(try await requests())
        case "console":
            let (full, empty) = (try await page(among: runs), try await page(among: 0))
            Table.row(
                Footprint.Amount(name: "page of runs, 100,000 kept, first byte", unit: "ms", limit: 50, values: full)
            )
            Table.row(
                Footprint.Amount(name: "page of runs, none kept, first byte", unit: "ms", limit: 50, values: empty)
            )
        case "gateway-memory":
            let values = try await memory()
            Table.row(Footprint.Amount(name: "memory of an idle gateway", unit: "MiB", limit: 64, values: values))
        default: fatalError("There is no measure \(name); GatewayMeasure.lines lists the measures.")
        }
    }

    /// The time from a request for a run to its acceptance, by HTTP and by ZeroMQ, in microseconds.
    private func requests() async throws -> TransportComparison {
        var comparison = TransportComparison(
            name: "RUN to 202, window 1, p50",
            unit: "µs",
            moreIsBetter: false,
            target: 3
        )
        for pair in 0...pairs {
            let ours = try await BenchWorker().serve { _, endpoint in
                try await GatewayProcess(endpoint: endpoint).serve { port, _ in
                    try await onThread { try Self.median(of: roundTrips, at: port) }
                }
            }
            let floor = try await BenchWorker().serve { _, endpoint in
                try await onThread {
                    try FloorClient(frames: .detachedRun, keys: nil)
                        .run(endpoint: endpoint, count: UInt64(roundTrips), window: 1, answersPerRequest: 1)
                }.median.inMicroseconds
            }
            // The first pair warms up.
            guard pair > 0 else { continue }
            comparison.ours.append(ours)
            comparison.floor.append(floor)
        }
        return comparison
    }

    private static func median(of count: Int, at port: UInt16) throws -> Double {
        let body = #"{"user":"ada","limit":20,"tags":["swift","messaging"]}"#
        let request = """
            POST /v1/pipelines/feed/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
        let connection = try HTTPConnection(port: port)
        var times: [Double] = []
        for _ in 0..<count {
            let start = ContinuousClock.now
            let status = try connection.ask(request).status
            guard status == 202 else {
                throw TransportMeasureFailure(description: "The answer has the status \(status).")
            }
            times.append((ContinuousClock.now - start).inMicroseconds)
        }
        return times.sorted()[times.count / 2]
    }

    /// The times to the first byte of the console's page of runs, in milliseconds, with `count` kept runs.
    private func page(among count: Int) async throws -> [Double] {
        let store = MemoryStore()
        try await EndedRuns(count: count, until: .max / 2).fill(store)
        return try await BenchWorker(store: store).serve { _, endpoint in
            try await GatewayProcess(endpoint: endpoint).serve { port, _ in
                try await onThread {
                    let connection = try HTTPConnection(port: port)
                    return try (0..<loads).map { _ in
                        let answer = try connection.ask(
                            "GET /runs HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n"
                        )
                        guard answer.status == 200 else {
                            throw TransportMeasureFailure(description: "The page has the status \(answer.status).")
                        }
                        return answer.firstByte.inSeconds * 1000
                    }
                }
            }
        }
    }

    /// The memory of a gateway after its first request, in MiB.
    private func memory() async throws -> [Double] {
        var values: [Double] = []
        for _ in 0..<5 {
            values.append(
                try await BenchWorker().serve { _, endpoint in
                    try await GatewayProcess(endpoint: endpoint).serve { port, figures in
                        _ = try await onThread {
                            try HTTPConnection(port: port).ask("GET /v1/worker HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        }
                        return try figures.residentBytes / 1_048_576
                    }
                }
            )
        }
        return values
    }
}

extension BusFrames {
    /// The same request as ``run``, but the acceptance is the only answer.
    static let detachedRun = BusFrames(
        command: "FORGE/1 RUN",
        subject: "feed",
        attribute: #""reply":"accepted""#,
        body: #"{"user":"ada","limit":20,"tags":["swift","messaging"]}"#
    )
}

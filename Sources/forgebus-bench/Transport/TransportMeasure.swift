import CFloor
import ZeroMQ

/// Measures `ZeroMQ` against plain C over libzmq, with the same five frames on the same machine in the same run.
///
/// The two alternate, so that other load on the machine meets both; the ratio counts. A sample is the median
/// of several short turns, because a long one on a busy machine measures the machine.
struct TransportMeasure {
    /// How many alternating pairs; their median is reported with the spread.
    var pairs = 5

    /// The turns that each of a pair gets; their median is its sample.
    var turns = 5

    /// Requests of one turn at window 64.
    var echoes: UInt64 = 60_000

    /// Requests of one turn at window 1.
    var roundTrips: UInt64 = 5_000

    /// Messages of one turn one way.
    var messages: UInt64 = 150_000

    /// How many times fewer a turn has with CURVE, which is about as much slower: so turns stay equally short.
    var slowdown: UInt64 = 4

    /// Everything, in the order in which it is printed.
    func all() async throws -> [TransportComparison] {
        let keys = CurveKeys()
        return [
            try await echo(against: CFLOOR_COPY, "echo, window 64", target: 0.9),
            try await echo("echo, window 64, CURVE", keys: keys),
            try await echo(against: CFLOOR_FORWARD, "echo, window 64, C reads nothing", target: 0.8),
            try await roundTrip(),
            try await roundTrip("echo, window 1, p50, CURVE", keys: keys),
            try await batchedReceive(),
            try await batchedReceive("receive into an async sequence, CURVE", keys: keys),
        ]
    }

    /// Echoes a second with 64 outstanding: our client and server against C's.
    ///
    /// - Parameters:
    ///   - answer: Whether the server in C takes messages into its memory, as ours does, or only passes them on.
    ///   - name: What the comparison is called.
    ///   - target: What the ratio has to reach.
    ///   - keys: Those with which both ends of both encrypt; nil for plain connections.
    /// - Returns: The comparison.
    /// - Throws: ``TransportMeasureFailure`` when answers are missing or wrong.
    func echo(
        against answer: cfloor_answer = CFLOOR_COPY,
        _ name: String = "echo, window 64",
        target: Double = 0.9,
        keys: CurveKeys? = nil
    ) async throws -> TransportComparison {
        var comparison = TransportComparison(name: name, unit: "1/s", moreIsBetter: true, target: target)
        let frames = BusFrames()
        let count = keys == nil ? echoes : echoes / slowdown
        try await alternate(&comparison) {
            let result = try await SwiftEcho(frames: frames, keys: keys).run(count: count, window: 64)
            return Double(result.count) / result.elapsed.inSeconds
        } floor: {
            let run = try await FloorEcho(frames: frames, answer: answer, keys: keys).run(count: count, window: 64)
            return Double(run.completed) / run.elapsed.inSeconds
        }
        return comparison
    }

    /// The median time of a round trip with one outstanding: our client and server against C's.
    func roundTrip(
        _ name: String = "echo, window 1, p50",
        keys: CurveKeys? = nil
    ) async throws -> TransportComparison {
        var comparison = TransportComparison(name: name, unit: "µs", moreIsBetter: false, target: 1.15)
        let frames = BusFrames()
        try await alternate(&comparison) {
            try await SwiftEcho(frames: frames, keys: keys).run(count: roundTrips, window: 1).median.inMicroseconds
        } floor: {
            try await FloorEcho(frames: frames, keys: keys).run(count: roundTrips, window: 1).median.inMicroseconds
        }
        return comparison
    }

    /// Messages a second into an async sequence against a blocking loop in C, both from a sender in C.
    func batchedReceive(
        _ name: String = "receive into an async sequence",
        keys: CurveKeys? = nil
    ) async throws -> TransportComparison {
        var comparison = TransportComparison(name: name, unit: "1/s", moreIsBetter: true, target: 0.7)
        let frames = BusFrames()
        let count = keys == nil ? messages : messages / slowdown
        try await alternate(&comparison) {
            let elapsed = try await SwiftReceive(frames: frames, keys: keys).run(count: count)
            return Double(count) / elapsed.inSeconds
        } floor: {
            let elapsed = try await FloorReceive(frames: frames, keys: keys).run(count: count)
            return Double(count) / elapsed.inSeconds
        }
        return comparison
    }

    private func alternate(
        _ comparison: inout TransportComparison,
        ours: () async throws -> Double,
        floor: () async throws -> Double
    ) async throws {
        for pair in 0...pairs {
            var sample: (ours: [Double], floor: [Double]) = ([], [])
            for turn in 0..<turns {
                // Who goes first changes, too.
                if turn % 2 == 0 { sample.ours.append(try await ours()) }
                sample.floor.append(try await floor())
                if turn % 2 == 1 { sample.ours.append(try await ours()) }
            }
            // The first pair warms up.
            guard pair > 0 else { continue }
            comparison.ours.append(sample.ours.sorted()[turns / 2])
            comparison.floor.append(sample.floor.sorted()[turns / 2])
        }
    }
}

/// One thing measured twice in the same process: with this library and in plain C.
struct TransportComparison {
    let name: String
    let unit: String
    let moreIsBetter: Bool
    /// The least or the largest allowed ratio of ours to the floor; nil without a target.
    let target: Double?
    var ours: [Double] = []
    var floor: [Double] = []

    /// Ours divided by the floor, pair by pair, from the smallest to the largest.
    var ratios: [Double] { zip(ours, floor).map { $0 / $1 }.sorted() }
    var medianRatio: Double { ratios[ratios.count / 2] }
    var medianOurs: Double { ours.sorted()[ours.count / 2] }
    var medianFloor: Double { floor.sorted()[floor.count / 2] }

    /// Whether it meets its target; nil without a target.
    var holds: Bool? { target.map { moreIsBetter ? medianRatio >= $0 : medianRatio <= $0 } }
}

/// Why a measure stopped, in one sentence.
struct TransportMeasureFailure: Error, CustomStringConvertible {
    let description: String
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
    var inMicroseconds: Double { inSeconds * 1e6 }
}

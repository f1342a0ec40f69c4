import CFloor
import Foundation
import ZeroMQ

/// Compares `ZeroMQ` with plain C over libzmq, with the same five frames on the same machine in the same process.
///
/// Swift and C alternate, so that other load on the machine slows both; the targets apply to the ratio. A sample is
/// the median of several short measurements, called turns, because other load would distort a long measurement.
struct TransportMeasure {
    /// The number of pairs: each has one sample of Swift and one of C.
    ///
    /// The table shows the median and the spread.
    var pairs = 5

    /// The number of turns in each sample; the sample is the median of its turns.
    var turns = 5

    /// The number of requests in one turn; up to 64 requests are unanswered at the same time.
    var echoes: UInt64 = 60_000

    /// The number of requests in one turn; each request is sent after the answer to the request before it.
    var roundTrips: UInt64 = 5_000

    /// The number of messages in one turn of a measure that only receives.
    var messages: UInt64 = 150_000

    /// With CURVE, a turn has this many times fewer messages, so that each turn takes about the same time.
    var slowdown: UInt64 = 4

    /// Takes all measures, in the order in which they are printed.
    func all() async throws -> [TransportComparison] {
        let keys = CurveKeys()
        return [
            try await echo(against: CFLOOR_COPY, "echo, window 64", target: 0.9),
            try await echo("echo, window 64, CURVE", keys: keys),
            try await echo(against: CFLOOR_FORWARD, "echo, window 64, C only forwards", target: 0.8),
            try await roundTrip(),
            try await roundTrip("echo, window 1, p50, CURVE", keys: keys),
            try await batchedReceive(),
            try await batchedReceive("receive into an async sequence, CURVE", keys: keys),
            try await batchedReceive("receive(within:), one by one", oneByOne: true),
            try await waitingSend(),
            try await requests(),
        ] + (try await pyzmq()) + [
            try await proxy(),
            try await publications(),
        ]
    }

    /// Measures echoes per second, with up to 64 unanswered requests: client and server in Swift, compared with C.
    ///
    /// - Parameters:
    ///   - answer: Whether the server in C copies messages into its memory, as the server in Swift does, or only
    ///     forwards them.
    ///   - name: The name of the comparison in the table.
    ///   - target: The lowest allowed ratio.
    ///   - keys: The keys of the clients and servers; nil for connections without encryption.
    /// - Returns: The comparison, with its samples.
    /// - Throws: ``TransportMeasureFailure`` if answers are missing or wrong.
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

    /// Measures the median time of a round trip: client and server in Swift, compared with C.
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

    /// Measures how many messages per second an async sequence receives, compared with a blocking loop in C.
    ///
    /// In both cases, a sender in C sends the messages.
    func batchedReceive(
        _ name: String = "receive into an async sequence",
        keys: CurveKeys? = nil,
        oneByOne: Bool = false
    ) async throws -> TransportComparison {
        let target: Double? = oneByOne ? nil : 0.7
        var comparison = TransportComparison(name: name, unit: "1/s", moreIsBetter: true, target: target)
        let frames = BusFrames()
        let count = keys == nil ? messages : messages / slowdown
        try await alternate(&comparison) {
            let elapsed = try await SwiftReceive(frames: frames, keys: keys, oneByOne: oneByOne).run(count: count)
            return Double(count) / elapsed.inSeconds
        } floor: {
            let elapsed = try await FloorReceive(frames: frames, keys: keys).run(count: count)
            return Double(count) / elapsed.inSeconds
        }
        return comparison
    }

    /// Measures how many messages per second a task sends that waits for room for each, compared with a thread in C; the
    /// same async sequence receives them.
    func waitingSend() async throws -> TransportComparison {
        let name = "send(within:), one by one"
        var comparison = TransportComparison(name: name, unit: "1/s", moreIsBetter: true, target: nil)
        let receive = SwiftReceive(frames: BusFrames())
        try await alternate(&comparison) {
            Double(messages) / (try await receive.runFromSwift(count: messages)).inSeconds
        } floor: {
            Double(messages) / (try await receive.run(count: messages)).inSeconds
        }
        return comparison
    }

    /// Measures the median round trip of requests by REQ and REP, compared with C.
    func requests() async throws -> TransportComparison {
        let name = "REQ and REP, p50"
        var comparison = TransportComparison(name: name, unit: "µs", moreIsBetter: false, target: nil)
        let frames = BusFrames()
        try await alternate(&comparison) {
            try await SwiftRequests(frames: frames).run(count: roundTrips).inMicroseconds
        } floor: {
            try await frames.requestReply(count: roundTrips).inMicroseconds
        }
        return comparison
    }

    /// Measures the same as ``requests()``, compared with pyzmq; nothing where `FORGE_PYTHON` names no Python with pyzmq.
    func pyzmq() async throws -> [TransportComparison] {
        guard let python = ProcessInfo.processInfo.environment["FORGE_PYTHON"] else { return [] }
        let name = "REQ and REP, p50, against pyzmq"
        var comparison = TransportComparison(name: name, unit: "µs", moreIsBetter: false, target: nil)
        let frames = BusFrames()
        try await alternate(&comparison) {
            try await SwiftRequests(frames: frames).run(count: roundTrips).inMicroseconds
        } floor: {
            try await Self.output(of: python, "Tests/Python/measure_requests.py", "\(roundTrips)")
        }
        return [comparison]
    }

    /// The number that a Python program prints.
    private static func output(of python: String, _ arguments: String...) async throws -> Double {
        try await onThread {
            let (process, pipe) = (Process(), Pipe())
            process.executableURL = URL(filePath: python)
            (process.arguments, process.standardOutput) = (arguments, pipe)
            try process.run()
            let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            guard let number = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                throw TransportMeasureFailure(description: "\(arguments[0]) printed \(output)")
            }
            return number
        }
    }

    /// Measures publications per second through a proxy with capture, compared with `zmq_proxy`; publisher and subscriber
    /// are in C.
    func publications() async throws -> TransportComparison {
        let name = "proxy of publications, against zmq_proxy"
        var comparison = TransportComparison(name: name, unit: "1/s", moreIsBetter: true, target: 0.8)
        let frames = BusFrames()
        try await alternate(&comparison) {
            try await withReactor("proxy") { reactor in
                let (front, back) = try await reactor.servePublications()
                let elapsed = try await frames.publish(count: messages, through: (front.text, back.text))
                return Double(messages) / elapsed.inSeconds
            }
        } floor: {
            var front = [CChar](repeating: 0, count: Int(CFLOOR_ENDPOINT_SIZE))
            var back = front
            guard let proxy = cfloor_proxy_start(nil, &front, &back) else {
                throw TransportMeasureFailure(description: "The C proxy could not be started.")
            }
            defer { cfloor_proxy_stop(proxy) }
            let through = (String(floorText: front), String(floorText: back))
            let elapsed = try await frames.publish(count: messages, through: through)
            return Double(messages) / elapsed.inSeconds
        }
        return comparison
    }

    /// Measures echoes per second through a proxy with capture, compared with `zmq_proxy`; the same client in C and the
    /// same server in Swift are at its ends.
    func proxy() async throws -> TransportComparison {
        let name = "proxy with capture, against zmq_proxy"
        var comparison = TransportComparison(name: name, unit: "1/s", moreIsBetter: true, target: 0.8)
        let frames = BusFrames()
        let server = try Reactor(label: "echo-server")
        let endpoint = try await server.serveEcho(nil)
        try await alternate(&comparison) {
            try await withReactor("proxy") { reactor in
                let front = try await reactor.serveProxy(endpoint)
                return try await Self.echoesPerSecond(frames, front.text, echoes)
            }
        } floor: {
            var bound = [CChar](repeating: 0, count: Int(CFLOOR_ENDPOINT_SIZE))
            var unused = bound
            guard let proxy = cfloor_proxy_start(endpoint.text, &bound, &unused) else {
                throw TransportMeasureFailure(description: "The C proxy could not be started.")
            }
            defer { cfloor_proxy_stop(proxy) }
            return try await Self.echoesPerSecond(frames, String(floorText: bound), echoes)
        }
        await server.shutDown()
        return comparison
    }

    private static func echoesPerSecond(_ frames: BusFrames, _ endpoint: String, _ count: UInt64) async throws -> Double
    {
        let run = try await onThread {
            try FloorClient(frames: frames).run(endpoint: endpoint, count: count, window: 64)
        }
        return Double(run.completed) / run.elapsed.inSeconds
    }

    private func alternate(
        _ comparison: inout TransportComparison,
        ours: () async throws -> Double,
        floor: () async throws -> Double
    ) async throws {
        for pair in 0...pairs {
            var sample: (ours: [Double], floor: [Double]) = ([], [])
            for turn in 0..<turns {
                // Swift goes first in one turn, and C goes first in the next turn.
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

/// The samples of one measure of this library, `ours`, and the values to compare them with, `floor`.
///
/// Each kind of measure has its own values in `floor`: those of plain C, the disk, pgbench, a store in SQLite, the same
/// request by ZeroMQ, or a worker with fewer runs and signals.
struct TransportComparison {
    let name: String
    let unit: String
    let moreIsBetter: Bool
    /// The lowest allowed ratio of `ours` to `floor`, or the highest allowed one if less is better; nil for no target.
    let target: Double?
    var ours: [Double] = []
    var floor: [Double] = []

    /// The ratios of `ours` to `floor`, one for each pair, in ascending order.
    var ratios: [Double] { zip(ours, floor).map { $0 / $1 }.sorted() }
    var medianRatio: Double { ratios[ratios.count / 2] }
    var medianOurs: Double { ours.sorted()[ours.count / 2] }
    var medianFloor: Double { floor.sorted()[floor.count / 2] }

    /// Whether the median ratio meets the target; nil without a target.
    var holds: Bool? { target.map { moreIsBetter ? medianRatio >= $0 : medianRatio <= $0 } }
}

/// The error of a measure that failed; the description is one sentence.
struct TransportMeasureFailure: Error, CustomStringConvertible {
    let description: String
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
    var inMicroseconds: Double { inSeconds * 1e6 }
}

import CFloor
import Dispatch

/// An echo in plain C over loopback TCP; the server and the client each have a thread.
struct FloorEcho {
    let frames: BusFrames

    /// Whether the server copies each message into its own memory, or only forwards it to the client.
    var answer = CFLOOR_COPY

    /// The keys of both ends; nil for connections without encryption.
    var keys: CurveKeys?

    func run(count: UInt64, window: UInt32) async throws -> FloorRun {
        try await onThread {
            var bound = [CChar](repeating: 0, count: Int(CFLOOR_ENDPOINT_SIZE))
            let server = keys.withFloorCurve { cfloor_server_start("tcp://127.0.0.1:*", answer, nil, $0, &bound) }
            guard let server else {
                throw TransportMeasureFailure(description: "The C server could not be started.")
            }
            defer { cfloor_server_stop(server) }
            return try FloorClient(frames: frames, keys: keys)
                .run(endpoint: String(floorText: bound), count: count, window: window)
        }
    }
}

/// A receiver in plain C: a blocking loop that reads messages from a sender in another thread.
struct FloorReceive {
    let frames: BusFrames

    /// The keys of both ends; nil for a connection without encryption.
    var keys: CurveKeys?

    func run(count: UInt64) async throws -> Duration {
        try await onThread {
            var result = cfloor_result()
            let error = frames.withFloorMessage { message in
                keys.withFloorCurve { cfloor_receive(message, count, $0, &result) }
            }
            guard error == 0, result.completed == count, result.wrong == 0 else {
                throw TransportMeasureFailure(
                    description: """
                        The C receiver failed: errno \(error), \(result.completed) of \(count) messages received, \
                        \(result.wrong) wrong.
                        """
                )
            }
            return .nanoseconds(Int64(result.elapsed_ns))
        }
    }
}

extension BusFrames {
    /// Publishes the frames through a proxy, in C, and tells how long receiving them took.
    func publish(count: UInt64, through proxy: (front: String, back: String)) async throws -> Duration {
        try await onThread {
            var result = cfloor_result()
            let error = withFloorMessage { cfloor_publish(proxy.front, proxy.back, $0, count, &result) }
            guard error == 0, result.completed == count, result.wrong == 0 else {
                throw TransportMeasureFailure(
                    description: """
                        The C subscriber failed: errno \(error), \(result.completed) of \(count) messages received, \
                        \(result.wrong) wrong.
                        """
                )
            }
            return .nanoseconds(Int64(result.elapsed_ns))
        }
    }

    /// The median time of a round trip between a REQ and a REP in C.
    func requestReply(count: UInt64) async throws -> Duration {
        try await onThread {
            var latencies = [UInt64](repeating: 0, count: Int(count))
            let error = withFloorMessage { cfloor_request_reply($0, count, &latencies) }
            guard error == 0 else { throw TransportMeasureFailure(description: "REQ and REP in C: errno \(error)") }
            return .nanoseconds(Int64(latencies.sorted()[latencies.count / 2]))
        }
    }
}

/// A thread in C that sends messages and expects no answers.
final class FloorSender: @unchecked Sendable {
    // Unchecked: Swift does not use the memory behind the pointers between the two calls to C.
    private let sender: OpaquePointer
    private let message = UnsafeMutablePointer<cfloor_message>.allocate(capacity: 1)
    private let bytes: UnsafeMutablePointer<UInt8>

    init(frames: BusFrames, endpoint: String, count: UInt64, keys: CurveKeys?) throws {
        bytes = frames.copy(into: message)
        guard let sender = keys.withFloorCurve({ [message] in cfloor_sender_start(endpoint, message, count, $0) })
        else {
            throw TransportMeasureFailure(description: "The C sender could not be started.")
        }
        self.sender = sender
    }

    /// Closes the connection; call this method exactly once, after all messages were received.
    func stop() async {
        _ = try? await onThread { cfloor_sender_stop(self.sender) }
        message.deallocate()
        bytes.deallocate()
    }
}

/// The load generator in C, which can send to any server.
struct FloorClient {
    let frames: BusFrames

    /// The keys of both ends; nil for a connection without encryption.
    var keys: CurveKeys?

    /// The number in the id of the first request; each further request has the next number.
    ///
    /// Choose it so that no id was used in an earlier run, because a worker answers a request with a known id from the
    /// ledger.
    var firstID: UInt64 = 0

    /// Sends all requests and awaits the answers on the calling thread, which is blocked until the end.
    func run(endpoint: String, count: UInt64, window: UInt32, answersPerRequest: UInt32 = 1) throws -> FloorRun {
        var latencies = [UInt64](repeating: 0, count: Int(count))
        var result = cfloor_result()
        let error = frames.withFloorMessage { message in
            keys.withFloorCurve { curve in
                var load = cfloor_load()
                load.request = message.pointee
                load.unique_subject = frames.hasUniqueSubject
                load.curve = curve
                load.count = count
                load.window = window
                load.answers_per_request = answersPerRequest
                load.first_id = firstID
                load.timeout_ms = 10_000
                return cfloor_client_run(endpoint, &load, &latencies, &result)
            }
        }
        guard error == 0, result.completed == count, result.wrong == 0 else {
            throw TransportMeasureFailure(
                description: """
                    The C client failed: errno \(error), \(result.completed) of \(count) requests answered, \
                    \(result.wrong) wrong answers.
                    """
            )
        }
        latencies.sort()
        return FloorRun(
            completed: result.completed,
            startedAt: result.started_ns,
            elapsed: .nanoseconds(Int64(result.elapsed_ns)),
            median: .nanoseconds(Int64(latencies[latencies.count / 2]))
        )
    }
}

/// The result of a run of the client in C: the answered requests, the start, the whole time, and the median round trip.
struct FloorRun: Sendable {
    let completed: UInt64
    /// When the first request was sent, by the clock of `cfloor_now`.
    let startedAt: UInt64
    let elapsed: Duration
    let median: Duration
}

/// Runs a blocking `body` on a thread outside Swift's cooperative pool.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "measure").async { continuation.resume(with: Result { try body() }) }
    }
}

extension String {
    /// The text that C wrote into a buffer.
    init(floorText buffer: [CChar]) {
        self = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

import CFloor
import Dispatch

/// An echo in plain C: server and client in a thread each, over loopback TCP.
struct FloorEcho {
    let frames: BusFrames

    /// Whether the server reads its messages, or only passes them on.
    var answer = CFLOOR_COPY

    /// Those of both ends; nil for plain connections.
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

/// Reception in plain C: a blocking loop, fed by a thread.
struct FloorReceive {
    let frames: BusFrames

    /// Those of both ends; nil for a plain connection.
    var keys: CurveKeys?

    func run(count: UInt64) async throws -> Duration {
        try await onThread {
            var result = cfloor_result()
            let error = frames.withFloorMessage { message in
                keys.withFloorCurve { cfloor_receive(message, count, $0, &result) }
            }
            guard error == 0, result.completed == count, result.wrong == 0 else {
                throw TransportMeasureFailure(description: "The C receiver stopped: errno \(error).")
            }
            return .nanoseconds(Int64(result.elapsed_ns))
        }
    }
}

/// A thread in C that sends requests one way.
final class FloorSender: @unchecked Sendable {
    // Unchecked: the pointers are not changed between the two calls to C.
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

    /// Closes the connection; to be called once, when everything was received.
    func stop() async {
        _ = try? await onThread { cfloor_sender_stop(self.sender) }
        message.deallocate()
        bytes.deallocate()
    }
}

/// The load generator in C, against any server.
struct FloorClient {
    let frames: BusFrames

    /// Those of both ends; nil for a plain connection.
    var keys: CurveKeys?

    /// The number in the first id: ids that one server has seen before are not new requests to it.
    var firstID: UInt64 = 0

    /// Sends from the calling thread, which is busy until the end.
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
                    The C client stopped after \(result.completed) of \(count), with \(result.wrong) answers that \
                    nothing had asked for: errno \(error).
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

/// The result of the C client.
struct FloorRun: Sendable {
    let completed: UInt64
    /// When the first request was sent, as `cfloor_now` tells the time.
    let startedAt: UInt64
    let elapsed: Duration
    let median: Duration
}

/// Runs something that blocks, off the cooperative pool.
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

import ForgeBusProtocol
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the whole body of a request.
enum RequestBytes {
    /// The largest body: a frame of the bus.
    static let limit = WireLimits.frameSizeInBytes

    /// The bytes of the body.
    ///
    /// - Throws: `BusError` with code `too_large`, or `slow_body` if the body does not arrive within `time`.
    static func read(
        _ request: Hummingbird.Request,
        atMost limit: Int = limit,
        within time: Duration
    ) async throws(BusError) -> [UInt8] {
        if let text = request.headers[.contentLength], let size = Int(text), size > limit {
            throw tooLarge(text, limit)
        }
        let result = await withTaskGroup(of: Result<[UInt8], BusError>?.self) { group in
            group.addTask { await collect(request.body, atMost: limit) }
            group.addTask {
                try? await Task.sleep(for: time)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let result else { throw .slowBody }
        return try result.get()
    }

    private static func collect(_ body: RequestBody, atMost limit: Int) async -> Result<[UInt8], BusError> {
        var bytes: [UInt8] = []
        do {
            for try await part in body {
                guard bytes.count + part.readableBytes <= limit else {
                    return .failure(tooLarge("more than \(limit)", limit))
                }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch {
            // The sender has left, so nobody reads the answer.
            return .failure(.cutBody)
        }
        return .success(bytes)
    }

    private static func tooLarge(_ size: String, _ limit: Int) -> BusError {
        BusError(
            .tooLarge,
            "The body has \(size) bytes; at most \(limit) are allowed.",
            next: "Send less data, or a reference to the data."
        )
    }
}

import ForgeBusProtocol
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import ServiceLifecycle

/// Reads the whole body of a request.
enum RequestBytes {
    /// The largest body: a frame of the bus.
    static let limit = WireLimits.frameSizeInBytes

    /// How long the rest of a body may take to arrive when the gateway stops.
    private static let grace = Duration.seconds(1)

    private enum End: Sendable {
        case read(Result<[UInt8], BusError>)
        case late
        case stopping
    }

    /// The bytes of the body.
    ///
    /// - Throws: `BusError` with code `too_large`, with `bad_body` if the body is not valid HTTP, with `slow_body` if it
    ///   does not arrive within `time`, and with `draining` if it has not arrived soon after the gateway began to stop.
    static func read(
        _ request: Hummingbird.Request,
        atMost limit: Int = limit,
        within time: Duration
    ) async throws(BusError) -> [UInt8] {
        if let text = request.headers[.contentLength], let size = Int(text), size > limit {
            throw Errors.largeBody(text, limit)
        }
        let end = await withTaskGroup(of: End.self) { group in
            group.addTask { .read(await collect(request.body, atMost: limit)) }
            group.addTask {
                try? await Task.sleep(for: time)
                return .late
            }
            group.addTask {
                if (try? await gracefulShutdown()) != nil { try? await Task.sleep(for: grace) }
                return .stopping
            }
            defer { group.cancelAll() }
            return await group.next() ?? .late
        }
        switch end {
        case .read(let result): return try result.get()
        case .late: throw Errors.slowBody
        case .stopping: throw Errors.unfinishedBody
        }
    }

    private static func collect(_ body: RequestBody, atMost limit: Int) async -> Result<[UInt8], BusError> {
        var bytes: [UInt8] = []
        do {
            for try await part in body {
                guard bytes.count + part.readableBytes <= limit else {
                    return .failure(Errors.largeBody("more than \(limit)", limit))
                }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let error as HTTPParserError where error != .invalidEOFState {
            return .failure(Errors.malformedBody)
        } catch {
            // The sender has left, so nobody reads the answer.
            return .failure(Errors.cutBody)
        }
        return .success(bytes)
    }
}

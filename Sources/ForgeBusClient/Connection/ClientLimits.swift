/// The limits for all requests of a client that wait for their last answer.
///
/// The client does not send a request that would exceed a limit. Instead, the call throws `BusError` with code `busy`
/// at once; the error's detail `limit` is `outbox`. So the client uses limited memory while it cannot reach the worker.
public struct ClientLimits: Hashable, Sendable {
    /// The largest number of requests that may wait for their last answer, including accepted runs; 10,000 by default.
    public var requests: Int
    /// The largest number of bytes that the waiting requests may have together; 64 MiB by default.
    public var bytes: Int

    /// Makes limits; by default 10,000 requests and 64 MiB.
    public init(requests: Int = 10_000, bytes: Int = 64 << 20) {
        self.requests = requests
        self.bytes = bytes
    }
}

/// Counts the requests that wait for their last answer, and their bytes.
struct Load {
    private let limits: ClientLimits
    private(set) var requests = 0
    private(set) var bytes = 0

    init(limits: ClientLimits) { self.limits = limits }

    /// Counts one more request of `size` bytes, if the limits allow it.
    ///
    /// - Returns: Whether the limits allowed the request.
    mutating func add(_ size: Int) -> Bool {
        guard requests < limits.requests, bytes + size <= limits.bytes else { return false }
        requests += 1
        bytes += size
        return true
    }

    /// Removes one request of `size` bytes from the count.
    mutating func remove(_ size: Int) {
        requests -= 1
        bytes -= size
    }
}

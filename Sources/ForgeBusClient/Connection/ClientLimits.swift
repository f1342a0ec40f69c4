/// The limits for the requests of a client that wait for an answer.
///
/// A request beyond a limit is not sent. Its call throws `BusError` with code `busy` at once; the detail `limit` is
/// `outbox`. So the client's memory stays bounded while the worker is away.
public struct ClientLimits: Hashable, Sendable {
    /// The most requests that may wait for their last answer, accepted runs included; 10,000 by default.
    public var requests: Int
    /// The most bytes that these requests may have together; 64 MiB by default.
    public var bytes: Int

    /// Makes limits; by default 10,000 requests and 64 MiB.
    public init(requests: Int = 10_000, bytes: Int = 64 << 20) {
        self.requests = requests
        self.bytes = bytes
    }
}

/// Counts the requests that wait for an answer, and their bytes.
struct Load {
    private let limits: ClientLimits
    private(set) var requests = 0
    private(set) var bytes = 0

    init(limits: ClientLimits) { self.limits = limits }

    /// Counts one more request, of `size` bytes, if there is room.
    ///
    /// - Returns: Whether there was room.
    mutating func add(_ size: Int) -> Bool {
        guard requests < limits.requests, bytes + size <= limits.bytes else { return false }
        requests += 1
        bytes += size
        return true
    }

    /// Counts one request less, of `size` bytes.
    mutating func remove(_ size: Int) {
        requests -= 1
        bytes -= size
    }
}

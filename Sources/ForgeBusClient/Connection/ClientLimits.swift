/// The limits of the unanswered requests that a client keeps.
///
/// The client does not send a request beyond these limits: the call immediately throws ``BusError`` with code `busy`,
/// and `outbox` as the detail `limit`. So the client's memory stays bounded while the worker is away.
public struct ClientLimits: Hashable, Sendable {
    /// The most requests that wait for an answer, including those of accepted runs.
    public var requests: Int
    /// The most bytes of those requests.
    public var bytes: Int

    /// Creates the limits.
    public init(requests: Int = 10_000, bytes: Int = 64 << 20) {
        self.requests = requests
        self.bytes = bytes
    }
}

/// Counts the unanswered requests that a client keeps, and their bytes.
struct Load {
    private let limits: ClientLimits
    private(set) var requests = 0
    private(set) var bytes = 0

    init(limits: ClientLimits) { self.limits = limits }

    /// Counts one more request.
    ///
    /// - Returns: Whether there was room for it.
    mutating func add(_ size: Int) -> Bool {
        guard requests < limits.requests, bytes + size <= limits.bytes else { return false }
        requests += 1
        bytes += size
        return true
    }

    /// Removes one request from the count.
    mutating func remove(_ size: Int) {
        requests -= 1
        bytes -= size
    }
}

/// What a client keeps for requests without an answer, at most.
///
/// One more gets `BusError` with code `busy` and the detail `limit` of `outbox` at once, and is not sent: nothing grows
/// while the worker is away.
public struct ClientLimits: Hashable, Sendable {
    /// The requests that wait for an answer, those among them whose run was taken.
    public var requests: Int
    /// The bytes of those requests.
    public var bytes: Int

    /// Limits of what is kept.
    public init(requests: Int = 10_000, bytes: Int = 64 << 20) {
        self.requests = requests
        self.bytes = bytes
    }
}

/// What a client keeps, counted.
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

    /// Counts one request less.
    mutating func remove(_ size: Int) {
        requests -= 1
        bytes -= size
    }
}

/// An endpoint that only this machine can reach: loopback TCP, `ipc` or `inproc`.
///
/// Binding without encryption takes one of these. Binding any other endpoint needs a ``CurveServer``, so a server that
/// is open to strangers does not compile.
public struct LocalEndpoint: Hashable, Sendable {
    /// The endpoint itself.
    public let endpoint: Endpoint

    /// Wraps an endpoint that is local.
    ///
    /// - Parameter endpoint: TCP with a literal of 127.0.0.0/8 or `[::1]`, ipc or inproc.
    /// - Throws: ``ZeroMQError`` with code `insecure` for any other.
    public init(_ endpoint: Endpoint) throws(ZeroMQError) {
        guard endpoint.isLocal else {
            throw ZeroMQError(
                .insecure,
                "\(endpoint) may be reached from other machines, by anybody.",
                next: "Bind it as a `CurveServer`, or bind 127.0.0.1, [::1] or an ipc path."
            )
        }
        self.endpoint = endpoint
    }

    /// Reads an endpoint that is local.
    ///
    /// - Parameter string: The endpoint, as for ``Endpoint``.
    /// - Throws: ``ZeroMQError`` with code `invalid_endpoint`, or `insecure` when it is not local.
    public init(_ string: String) throws(ZeroMQError) {
        try self.init(Endpoint(string))
    }
}

extension LocalEndpoint: CustomStringConvertible {
    /// The endpoint as it was written.
    public var description: String { endpoint.text }
}

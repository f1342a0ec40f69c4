/// An endpoint that only this machine can reach: loopback TCP, `ipc` or `inproc`.
///
/// A bind without encryption needs a local endpoint. A bind to any other endpoint needs a ``CurveServer``. So a program
/// cannot accept unencrypted connections from other machines by mistake.
public struct LocalEndpoint: Hashable, Sendable {
    /// The local endpoint as an ``Endpoint``.
    public let endpoint: Endpoint

    /// Makes a local endpoint, and checks that it is local.
    ///
    /// - Parameter endpoint: TCP with an address in 127.0.0.0/8 or `[::1]`, ipc or inproc.
    /// - Throws: ``ZeroMQError`` with code `insecure` for any other endpoint.
    public init(_ endpoint: Endpoint) throws(ZeroMQError) {
        guard endpoint.isLocal else {
            throw Errors.notLocal(endpoint)
        }
        self.endpoint = endpoint
    }

    /// Makes a local endpoint from its text, and checks that it is local.
    ///
    /// - Parameter string: The text, in one of the forms in the table of ``Endpoint``.
    /// - Throws: ``ZeroMQError``: `invalid_endpoint` for a wrong form, `insecure` if the endpoint is not local.
    public init(_ string: String) throws(ZeroMQError) {
        try self.init(Endpoint(string))
    }
}

extension LocalEndpoint: CustomStringConvertible {
    /// The endpoint as it was written.
    public var description: String { endpoint.text }
}

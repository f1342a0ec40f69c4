import ForgeBusProtocol
import HTTPTypes

/// A proxy that logs users in, and tells the gateway in a header who sends each request.
///
/// It proves itself with a secret in the header `Forgebus-Proxy-Secret`, because every program that reaches the gateway
/// could send the other header.
public struct TrustedProxy: Hashable, Sendable {
    /// The header that names the principal, such as `X-Forwarded-User`.
    public var userHeader: String
    /// The SHA-256 of the secret, in 64 lower-case hexadecimal digits.
    public var secretHash: String

    /// Makes the description of a proxy.
    ///
    /// - Parameters:
    ///   - userHeader: The header that names the principal.
    ///   - secret: The secret that the proxy sends.
    public init(userHeader: String, secret: String) {
        self.userHeader = userHeader
        secretHash = AccessToken.hash(of: secret)
    }

    /// The sender that the proxy names; nil for a request without the header of the proxy's secret.
    ///
    /// If the worker does not distinguish its senders, the secret alone is enough.
    ///
    /// - Throws: `BusError` with code `unauthorized` if the secret is wrong, or if not exactly one principal is named.
    func sender(of request: HTTPRequest, isNamed: Bool = true) throws(BusError) -> Sender? {
        let secrets = request.headerFields[values: Self.secretHeader]
        guard !secrets.isEmpty else { return nil }
        guard secrets.count == 1, AccessToken.hash(of: secrets[0]) == secretHash else { throw .badProxySecret }
        guard isNamed else { return Sender() }
        let users = HTTPField.Name(userHeader).map { request.headerFields[values: $0] } ?? []
        guard users.count == 1, let name = try? Name(users[0]) else {
            throw .namelessUser(userHeader, users.isEmpty ? nil : users.joined(separator: ", "))
        }
        return Sender(principal: name)
    }

    private static let secretHeader = HTTPField.Name("Forgebus-Proxy-Secret")!
}

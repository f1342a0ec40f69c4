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
        guard request.headerFields[Self.secretHeader] != nil else { return nil }
        guard hasSent(request) else { throw Errors.badProxySecret }
        guard isNamed else { return Sender() }
        let users = HTTPField.Name(userHeader).map { request.headerFields[values: $0] } ?? []
        guard users.count == 1, let name = try? Name(users[0]) else {
            throw Errors.namelessUser(userHeader, users.isEmpty ? nil : users.joined(separator: ", "))
        }
        return Sender(principal: name)
    }

    /// Whether a request has the proxy's secret.
    func hasSent(_ request: HTTPRequest) -> Bool {
        let secrets = request.headerFields[values: Self.secretHeader]
        return secrets.count == 1 && AccessToken.hash(of: secrets[0]) == secretHash
    }

    /// The address of the client for which the proxy sent a request; nil if the proxy does not say.
    ///
    /// The last address is the one that this proxy has seen; a client can send the others itself.
    func client(of request: HTTPRequest) -> ClientAddress? {
        let fields = request.headerFields
        if let last = fields[values: Self.forwardedFor].last?.split(separator: ",").last {
            return ClientAddress(header: last)
        }
        if let only = fields[Self.realIP] { return ClientAddress(header: only[...]) }
        guard let last = fields[values: Self.forwarded].last?.split(separator: ",").last else { return nil }
        let part = last.split(separator: ";").lazy.map(\.trimmed).first { $0.lowercased().hasPrefix("for=") }
        return part.flatMap { ClientAddress(header: $0.dropFirst("for=".count)) }
    }

    private static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
    private static let realIP = HTTPField.Name("X-Real-IP")!
    private static let forwarded = HTTPField.Name("Forwarded")!
    private static let secretHeader = HTTPField.Name("Forgebus-Proxy-Secret")!
}

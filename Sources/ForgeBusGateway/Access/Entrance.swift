import ForgeBusProtocol
import Foundation
import HTTPTypes

/// Decides who sends a request, and refuses requests that a page of another site makes a browser send.
struct Entrance: Sendable {
    /// The tokens; nil if everybody who reaches the gateway may use it.
    var tokens: TokenBook?
    /// The proxy that tells who sends a request; nil without one.
    var proxy: TrustedProxy?
    /// The host names that the gateway serves, in lower case and without a port.
    let hosts: Set<String>

    init(tokens: TokenBook?, proxy: TrustedProxy? = nil, hosts: Set<String>) {
        (self.tokens, self.proxy, self.hosts) = (tokens, proxy, hosts)
    }

    /// Checks where a request comes from and where it goes.
    ///
    /// - Throws: `BusError` with code `unknown_host` or `cross_site`.
    func check(_ request: HTTPRequest) throws(BusError) {
        try checkHost(of: request)
        try checkSite(of: request)
    }

    /// Who sends a request: the principal that the trusted proxy names, or else the bearer of the token in the header
    /// `Authorization` or in the cookie of the console.
    ///
    /// - Throws: `BusError` with code `unauthorized`.
    func sender(of request: HTTPRequest, at now: Date) throws(BusError) -> Sender {
        if let sender = try proxy?.sender(of: request, isNamed: tokens?.isCommon == false) { return sender }
        guard let tokens else {
            // Everybody on this machine may use such a gateway, but not everybody who reaches a proxy on it.
            guard !Self.forwarded.contains(where: { request.headerFields[$0] != nil }) else { throw .forwarded }
            return Sender()
        }
        guard let token = Self.token(in: request.headerFields), let sender = tokens.sender(bearing: token, at: now)
        else {
            var error = tokens.isCommon ? BusError.unauthorizedCommon : .unauthorized
            if proxy != nil {
                error.next +=
                    " If a proxy logs you in, it must also send the header Forgebus-Proxy-Secret, which this request "
                    + "does not have."
            }
            throw error
        }
        return sender
    }

    /// Whether somebody with this token may use the gateway.
    func knows(_ token: String) -> Bool { tokens?.sender(bearing: token, at: Date()) != nil }

    /// The header fields that a proxy adds.
    private static let forwarded = ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"].compactMap {
        HTTPField.Name($0)
    }

    /// The name of the console's cookie.
    static let cookie = "forgebus"

    private static func token(in fields: HTTPFields) -> String? {
        if let field = fields[.authorization] {
            let words = field.split(separator: " ", omittingEmptySubsequences: true)
            return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : nil
        }
        for field in fields[values: .cookie] {
            for pair in field.split(separator: ";") {
                let sides = pair.split(separator: "=", maxSplits: 1).map(\.trimmed)
                if sides.count == 2, sides[0] == cookie { return sides[1] }
            }
        }
        return nil
    }

    /// Refuses a host name that the gateway does not serve.
    ///
    /// Another site can have its own name point to the address of the gateway (“DNS rebinding”). To a browser, its pages
    /// then belong to the same site as the gateway.
    private func checkHost(of request: HTTPRequest) throws(BusError) {
        guard let authority = request.authority, !authority.isEmpty else { throw .unknownHost(nil) }
        // Of several hosts, the authority is the first, and the others are still among the fields.
        guard request.headerFields[.hostField] == nil else { throw .severalHosts }
        guard hosts.contains(Self.name(of: authority)) else { throw .unknownHost(authority) }
    }

    /// Refuses a change that a page of another site makes a browser send (“CSRF”).
    ///
    /// Every browser says in `Sec-Fetch-Site` or `Origin` where such a request comes from. Other programs send neither.
    private func checkSite(of request: HTTPRequest) throws(BusError) {
        guard request.method != .get, request.method != .head else { return }
        let origin = request.headerFields[.origin]
        if let site = request.headerFields[.secFetchSite], site != "same-origin", site != "none" {
            let (field, value) = origin.map { ("Origin", $0) } ?? ("Sec-Fetch-Site", site)
            throw .crossSite(field, value, host: request.authority)
        }
        guard let origin else { return }
        guard let separator = origin.firstRange(of: "://"),
            origin[separator.upperBound...].lowercased() == request.authority?.lowercased()
        else { throw .crossSite("Origin", origin, host: request.authority) }
    }

    /// The host name of `NAME:PORT`, in lower case; an IPv6 address keeps its brackets.
    static func name(of authority: String) -> String {
        let lower = authority.lowercased()
        if lower.hasPrefix("["), let end = lower.firstIndex(of: "]") { return String(lower[...end]) }
        return String(lower.prefix { $0 != ":" })
    }
}

extension HTTPField.Name {
    static let hostField = HTTPField.Name("Host")!
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}

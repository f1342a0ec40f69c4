import ForgeBusProtocol
import Foundation
import HTTPTypes

/// Decides who sends a request, and refuses requests that a page of another site makes a browser send.
struct Entrance: Sendable {
    /// The tokens; nil if everybody who reaches the gateway may use it.
    var tokens: TokenBook?
    /// The proxy that tells who sends a request; nil without one.
    var proxy: TrustedProxy?
    /// The sessions of the console.
    var sessions = Sessions()
    /// How fast addresses may try to sign in.
    var pace = SignInPace()
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
    /// `Authorization`, or who has signed in to the session in the cookie of the console.
    ///
    /// - Throws: `BusError` with code `unauthorized`.
    func sender(of request: HTTPRequest, at now: Date) throws(BusError) -> Sender {
        if let sender = try proxy?.sender(of: request, isNamed: tokens?.isCommon == false) { return sender }
        guard let tokens else {
            // Everybody on this machine may use such a gateway, but not everybody who reaches a proxy on it.
            guard !Self.forwarded.contains(where: { request.headerFields[$0] != nil }) else { throw Errors.forwarded }
            return Sender()
        }
        guard let sender = sender(of: request.headerFields, among: tokens, at: now) else {
            throw Errors.unauthorized(isCommon: tokens.isCommon, hasProxy: proxy != nil)
        }
        return sender
    }

    /// Begins a session for the bearer of a token, and returns its id; nil for an unknown or ended token.
    mutating func beginSession(bearing token: String, at now: Date) -> String? {
        guard tokens?.sender(bearing: token, at: now) != nil else { return nil }
        return sessions.begin(Sessions.Session(token: AccessToken.hash(of: token), began: now))
    }

    /// Begins a session for somebody at `address` who says to bear a token, and returns its id.
    ///
    /// - Throws: `BusError` with code `unauthorized` for an unknown or ended token, and with code `busy` if the address
    ///   has failed too often to try again now.
    mutating func signIn(
        bearing token: String,
        from address: String,
        at now: Date,
        _ instant: ContinuousClock.Instant = .now
    ) throws(BusError) -> String {
        if let wait = pace.wait(of: address, at: instant) { throw Errors.tooManySignIns(wait) }
        guard let id = beginSession(bearing: token, at: now) else {
            pace.failed(address, at: instant)
            throw Errors.invalidToken
        }
        pace.succeeded(address)
        return id
    }

    private func sender(of fields: HTTPFields, among tokens: TokenBook, at now: Date) -> Sender? {
        if let field = fields[.authorization] {
            let words = field.split(separator: " ", omittingEmptySubsequences: true)
            guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
            return tokens.sender(bearing: String(words[1]), at: now)
        }
        let session = Self.session(in: fields).flatMap { sessions.session($0, at: now) }
        return session.flatMap { tokens.sender(hash: $0.token, at: now) }
    }

    /// The header fields that a proxy adds.
    private static let forwarded = ["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"].compactMap {
        HTTPField.Name($0)
    }

    /// The name of the console's cookie.
    static let cookie = "forgebus"

    /// The id of the session in the cookie of the console; nil without the cookie.
    static func session(in fields: HTTPFields) -> String? {
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
        guard let authority = request.authority, !authority.isEmpty else { throw Errors.unknownHost(nil) }
        // Of several hosts, the authority is the first, and the others are still among the fields.
        guard request.headerFields[.hostField] == nil else { throw Errors.severalHosts }
        guard hosts.contains(Self.name(of: authority)) else { throw Errors.unknownHost(authority) }
    }

    /// Refuses a change that a page of another site makes a browser send (“CSRF”).
    ///
    /// Every browser says in `Sec-Fetch-Site` or `Origin` where such a request comes from. Other programs send neither.
    private func checkSite(of request: HTTPRequest) throws(BusError) {
        guard request.method != .get, request.method != .head else { return }
        let origin = request.headerFields[.origin]
        if let site = request.headerFields[.secFetchSite], site != "same-origin", site != "none" {
            let (field, value) = origin.map { ("Origin", $0) } ?? ("Sec-Fetch-Site", site)
            throw Errors.crossSite(field, value, host: request.authority)
        }
        guard let origin else { return }
        guard let separator = origin.firstRange(of: "://"),
            origin[separator.upperBound...].lowercased() == request.authority?.lowercased()
        else { throw Errors.crossSite("Origin", origin, host: request.authority) }
    }

    /// The host name of `NAME:PORT`, in lower case; an IPv6 address keeps its brackets.
    static func name(of authority: String) -> String {
        let lower = authority.lowercased()
        if lower.hasPrefix("["), let end = lower.firstIndex(of: "]") { return String(lower[...end]) }
        return String(lower.prefix { $0 != ":" })
    }
}

extension Entrance {
    init(_ configuration: GatewayConfiguration) {
        let names = configuration.names.union(["localhost", "127.0.0.1", "[::1]", configuration.host])
        self.init(
            tokens: configuration.tokens.map { TokenBook($0) },
            proxy: configuration.proxy,
            hosts: Set(names.map { Entrance.name(of: $0.contains("::") && !$0.hasPrefix("[") ? "[\($0)]" : $0) })
        )
    }
}

extension HTTPField.Name {
    static let hostField = HTTPField.Name("Host")!
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}

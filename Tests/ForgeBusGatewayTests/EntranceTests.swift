import ForgeBusProtocol
import Foundation
import HTTPTypes
import Testing

@testable import ForgeBusGateway

@Suite("The entrance")
struct EntranceTests {
    private static let token = AccessToken.random()
    private static let ended = AccessToken.random()
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private let entrance = Entrance(
        tokens: TokenBook([
            AccessToken(principal: "ada", hash: AccessToken.hash(of: Self.token), scope: [.read]),
            AccessToken(principal: "bob", hash: AccessToken.hash(of: Self.ended), expiry: Self.now),
        ]),
        hosts: ["localhost", "127.0.0.1", "[::1]", "forge.example"]
    )

    private func code(
        _ fields: HTTPFields,
        method: HTTPRequest.Method = .post,
        host: String? = "localhost:7780",
        _ entrance: Entrance
    ) -> ErrorCode? {
        let request = HTTPRequest(method: method, scheme: "http", authority: host, path: "/", headerFields: fields)
        do throws(BusError) {
            try entrance.check(request)
            _ = try entrance.sender(of: request, at: Self.now)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("lets in who has a token, as its principal and within its scope")
    func tokens() throws {
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "localhost",
            path: "/",
            headerFields: [.authorization: "Bearer \(Self.token)"]
        )
        let sender = try entrance.sender(of: request, at: Self.now)
        #expect(sender == Sender(principal: "ada", scope: [.read]))
        try sender.check(.list(ListRequest(kind: .runs)))
        try sender.check(.ping([]))
        let error = #expect(throws: BusError.self) { try sender.check(.run(RunRequest(pipeline: "x"))) }
        #expect(error?.code == .forbidden)
    }

    @Test(
        "lets in nobody else",
        arguments: [
            "", "Bearer", "Bearer ", "Bearer \(token)x", "Bearer \(token.uppercased())", "Basic \(token)", token,
            "Bearer \(token) \(token)", "Bearer \(AccessToken.hash(of: token))", "Bearer \(ended)", "bearer fbt_",
        ]
    )
    func nobody(field: String) { #expect(code([.authorization: field], entrance) == .unauthorized) }

    @Test(
        "without tokens lets in nobody through a proxy",
        arguments: ["Forwarded", "X-Forwarded-For", "X-Real-IP", "via"]
    )
    func proxies(name: String) throws {
        let open = Entrance(tokens: nil, hosts: entrance.hosts)
        #expect(code([try #require(HTTPField.Name(name)): "203.0.113.9"], open) == .unauthorized)
    }

    @Test("wants a token where there are tokens")
    func wants() { #expect(code([:], entrance) == .unauthorized) }

    @Test(
        "serves only its own names",
        arguments: [
            ("localhost", true), ("LOCALHOST:1", true), ("127.0.0.1:7780", true), ("[::1]:7780", true),
            ("forge.example", true),
            ("evil.example", false), ("localhost.evil.example", false), ("forge.example.", false), ("127.0.0.2", false),
            ("[::2]:7780", false), ("", false), ("localhost@evil.example", false),
        ]
    )
    func names(host: String, isServed: Bool) {
        let open = Entrance(tokens: nil, hosts: entrance.hosts)
        #expect(code([:], host: host, open) == (isServed ? nil : .unknownHost))
    }

    @Test(
        "refuses what a page of another site sends",
        arguments: [
            ([:], nil), ([.origin: "http://localhost:7780"], nil), ([.secFetchSite: "same-origin"], nil),
            ([.secFetchSite: "none"], nil), ([.origin: "https://localhost:7780"], nil),
            ([.origin: "http://localhost:7781"], .crossSite), ([.origin: "http://evil.example"], .crossSite),
            ([.origin: "null"], .crossSite), ([.origin: ""], .crossSite), ([.secFetchSite: "cross-site"], .crossSite),
            ([.secFetchSite: "same-site"], .crossSite),
            ([.secFetchSite: "cross-site", .origin: "http://localhost:7780"], .crossSite),
            ([.secFetchSite: "same-origin", .origin: "http://evil.example"], .crossSite),
        ] as [(HTTPFields, ErrorCode?)]
    )
    func sites(fields: HTTPFields, expected: ErrorCode?) {
        let open = Entrance(tokens: nil, hosts: entrance.hosts)
        #expect(code(fields, open) == expected)
        #expect(code(fields, method: .get, open) == nil)
    }
}

@Suite("A token")
struct AccessTokenTests {
    @Test("has 256 random bits behind a known prefix, and a hash that others compute, too")
    func form() {
        let tokens = (0..<100).map { _ in AccessToken.random() }
        #expect(Set(tokens).count == 100)
        for token in tokens {
            #expect(token.hasPrefix("fbt_") && token.utf8.count == 47)
            #expect(
                token.utf8.allSatisfy {
                    $0 == 0x5F || $0 == 0x2D || Character(Unicode.Scalar($0)).isLetter
                        || Character(Unicode.Scalar($0)).isNumber
                }
            )
        }
        #expect(
            AccessToken.hash(of: "fbt_abc") == "962f47ef6a9d850cdfcb62518845d1a7e2779dfa066ee5d446e4d0ea00196a3a"
        )
    }
}

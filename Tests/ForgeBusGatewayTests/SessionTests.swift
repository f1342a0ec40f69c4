import ForgeBusProtocol
import Foundation
import HTTPTypes
import Testing

@testable import ForgeBusGateway

@Suite("A session of the console")
struct SessionTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let token = AccessToken.random()

    private var entrance: Entrance {
        Entrance(
            tokens: TokenBook([AccessToken(principal: "ada", hash: AccessToken.hash(of: Self.token))]),
            hosts: ["localhost"]
        )
    }

    private func principal(_ cookie: String, _ entrance: Entrance, at now: Date = now) -> Name? {
        let request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "localhost",
            path: "/",
            headerFields: [.cookie: "a=b; forgebus=\(cookie)"]
        )
        return (try? entrance.sender(of: request, at: now))?.principal
    }

    @Test("lets in until it ends, and no longer than its token")
    func lasts() throws {
        var entrance = entrance
        let id = try entrance.signIn(bearing: Self.token, from: "", at: Self.now)
        #expect(principal(id, entrance) == "ada")
        #expect(principal(Self.token, entrance) == nil, "the token is no session")
        #expect(principal(id, entrance, at: Self.now + Sessions.age) == nil)
        var without = entrance
        without.tokens = TokenBook([])
        #expect(principal(id, without) == nil)
        let other = try entrance.signIn(bearing: Self.token, from: "", at: Self.now)
        entrance.sessions.end(id)
        #expect(principal(id, entrance) == nil && principal(other, entrance) == "ada")
    }

    @Test("is one of a bounded number, for each token and in all")
    func bounds() {
        var sessions = Sessions()
        let first = sessions.begin(Sessions.Session(token: "first", began: Self.now))
        let ids = (0...Sessions.limitPerToken).map { index in
            sessions.begin(Sessions.Session(token: "a", began: Self.now + Double(index + 1)))
        }
        #expect(sessions.session(ids[0], at: Self.now) == nil && sessions.session(ids[1], at: Self.now) != nil)
        #expect(sessions.session(first, at: Self.now) != nil, "the sessions with another token stay")
    }

    @Test("is not begun by those who guess")
    func guesses() throws {
        var entrance = entrance
        let start = ContinuousClock.now
        func code(_ token: String, _ address: String, after seconds: Int = 0) -> ErrorCode? {
            do throws(BusError) {
                _ = try entrance.signIn(bearing: token, from: address, at: Self.now, start + .seconds(seconds))
                return nil
            } catch {
                return error.code
            }
        }
        for _ in 0..<SignInPace.free { #expect(code("fbt_wrong", "192.0.2.1") == .unauthorized) }
        #expect(code(Self.token, "192.0.2.1") == .busy)
        #expect(code(Self.token, "192.0.2.2") == nil, "other addresses are not slowed down")
        #expect(code("fbt_wrong", "192.0.2.1", after: 1) == .unauthorized)
        #expect(code(Self.token, "192.0.2.1", after: 2) == .busy)
        #expect(code(Self.token, "192.0.2.1", after: 3) == nil)
        #expect(code("fbt_wrong", "192.0.2.1", after: 3) == .unauthorized, "the failures are forgotten")
    }

    @Test("waits longer after each failure, and no longer than the longest")
    func pace() {
        var pace = SignInPace()
        let start = ContinuousClock.now
        var waits: [Duration] = []
        for _ in 0..<(SignInPace.free + 8) {
            pace.failed("a", at: start)
            waits.append(pace.wait(of: "a", at: start) ?? .zero)
        }
        #expect(waits == [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        #expect(pace.wait(of: "a", at: start + SignInPace.memory) == nil)
    }

    @Test("is counted for the address that the trusted proxy reports")
    func proxies() {
        let proxy = TrustedProxy(userHeader: "X-User", secret: "s")
        func client(_ fields: HTTPFields) -> String? {
            proxy.client(
                of: HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/", headerFields: fields)
            )?.description
        }
        let (forwardedFor, realIP, forwarded) = (
            HTTPField.Name("X-Forwarded-For")!, HTTPField.Name("X-Real-IP")!, HTTPField.Name("Forwarded")!
        )
        #expect(client([forwardedFor: "203.0.113.9, 192.0.2.1"]) == "192.0.2.1")
        #expect(client([realIP: "192.0.2.3"]) == "192.0.2.3")
        #expect(client([forwarded: "for=203.0.113.9, proto=http;For=\"[2001:db8::1]:4\""]) == "2001:db8::/64")
        #expect(client([:]) == nil)
    }
}

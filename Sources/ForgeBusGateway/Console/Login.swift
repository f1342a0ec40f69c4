import ForgeBusProtocol
import ForgeLocks
import Foundation
import HTTPTypes

/// Lets users of the console in: the id of their session goes into a cookie that no script can read.
///
/// ``Sessions`` says how long a session lasts.
final class Login: Sendable {
    /// Whether the gateway itself speaks TLS; behind a proxy, the header `Origin` shows whether the browser uses HTTPS.
    private let isSecure: Bool
    /// The codes in links, each with the token that it stands for; a code is removed when it is used.
    private let codes = Guarded<[String: Code]>([:])

    private struct Code {
        let token: String
        let made: ContinuousClock.Instant
    }

    init(isSecure: Bool) { self.isSecure = isSecure }

    /// How long a link with a code works.
    private static let codeTime = Duration.seconds(600)

    /// The path of a link that logs a browser in as the bearer of `token`, once.
    func link(for token: String) -> String {
        let code = RequestID.random().text
        codes.withLock { $0[code] = Code(token: token, made: .now) }
        return "/login?code=\(code)"
    }

    /// Answers the pages `/login` and `/logout`; nil for other paths.
    func respond(to request: APIRequest, _ entrance: borrowing Guarded<Entrance>) -> APIResponse? {
        switch (request.path, request.method) {
        case (["login"], .get), (["login"], .head): return page(request, entrance)
        case (["login"], .post): return enter(request, entrance)
        case (["logout"], .post):
            if let id = Entrance.session(in: request.fields) { entrance.withLock { $0.sessions.end(id) } }
            return APIResponse(
                .seeOther,
                fields: [.location: "/login", .setCookie: cookie("", "Max-Age=0", request)]
            )
        default: return nil
        }
    }

    private func page(_ request: APIRequest, _ entrance: borrowing Guarded<Entrance>) -> APIResponse {
        func given(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
        if request.method == .get, let code = given("code"),
            let known = codes.withLock({ $0.removeValue(forKey: code) }), known.made.advanced(by: Self.codeTime) > .now
        {
            let id = entrance.withLock { $0.beginSession(bearing: known.token, at: Date()) }
            if let id { return lead(to: "/", with: id, request) }
        }
        var page = ConsolePage(title: "Log in", template: "login", data: ["next": given("next") ?? "/"])
        if given("code") != nil {
            page.problem = Problem(Errors.usedLink)
        }
        return page.response()
    }

    private func enter(_ request: APIRequest, _ entrance: borrowing Guarded<Entrance>) -> APIResponse {
        let form = try? Form(request)
        let (token, next) = (form?["token"]?[...].trimmed ?? "", form?["next"] ?? "/")
        do throws(BusError) {
            let id = try entrance.withLock { entrance throws(BusError) in
                try entrance.signIn(bearing: token, from: request.address, at: Date())
            }
            return lead(to: next, with: id, request)
        } catch {
            var page = ConsolePage(title: "Log in", template: "login", data: ["next": next])
            page.problem = Problem(error)
            return page.response()
        }
    }

    /// Leads to a page, with the id of a new session.
    private func lead(to path: String, with id: String, _ request: APIRequest) -> APIResponse {
        // Only to a path of this site: browsers take the text after `//` or `/\` for the name of another host.
        let isLocal =
            path.hasPrefix("/") && !path.hasPrefix("//") && !path.hasPrefix("/\\")
            && path.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let cookie = cookie(id, "Max-Age=\(Int(Sessions.age))", request)
        return APIResponse(.seeOther, fields: [.location: isLocal ? path : "/", .setCookie: cookie])
    }

    /// The cookie; if the page came over HTTPS, the browser sends the cookie only over HTTPS.
    ///
    /// It is `Lax`, so that a link in a mail leads to the gate and not to the login. A change is a POST, which `Entrance`
    /// refuses if another site sends it.
    private func cookie(_ value: String, _ age: String, _ request: APIRequest) -> String {
        let isSecure = isSecure || request.fields[.origin]?.hasPrefix("https://") == true
        return "\(Entrance.cookie)=\(value); Path=/; \(age); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }
}

import ForgeBusProtocol
import ForgeLocks
import HTTPTypes

/// Lets users of the console in: the token goes into a cookie that no script can read.
///
/// The gateway keeps no sessions. A cookie holds as long as its token, also over a restart of the gateway.
final class Login: Sendable {
    /// The tokens that links with a code stand for, each to be used once.
    private let codes = Guarded<[String: String]>([:])

    /// The path of a link that logs a browser in as the bearer of `token`, once.
    func link(for token: String) -> String {
        let code = RequestID.random().text
        codes.withLock { $0[code] = token }
        return "/login?code=\(code)"
    }

    /// Answers the pages `/login` and `/logout`; nil for other paths.
    func respond(to request: APIRequest, _ entrance: Entrance) -> APIResponse? {
        switch (request.path, request.method) {
        case (["login"], .get), (["login"], .head): return page(request, entrance)
        case (["login"], .post): return enter(request, entrance)
        case (["logout"], .post):
            return APIResponse(
                .seeOther,
                fields: [.location: "/login", .setCookie: Self.cookie("", "Max-Age=0", request)]
            )
        default: return nil
        }
    }

    private func page(_ request: APIRequest, _ entrance: Entrance) -> APIResponse {
        func given(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
        if let code = given("code"), let token = codes.withLock({ $0.removeValue(forKey: code) }) {
            return Self.let(in: token, to: "/", request)
        }
        var page = ConsolePage(title: "Log in", template: "login", data: ["next": given("next") ?? "/"])
        if given("code") != nil {
            page.problem = Problem(
                BusError(
                    .unauthorized,
                    "The link was used already, or the gateway has been restarted.",
                    next: "Use the token."
                )
            )
        }
        return page.response()
    }

    private func enter(_ request: APIRequest, _ entrance: Entrance) -> APIResponse {
        guard let form = try? Form(request), let token = form["token"]?[...].trimmed,
            entrance.knows(token)
        else {
            var page = ConsolePage(title: "Log in", template: "login", data: ["next": "/"])
            page.problem = Problem(
                BusError(
                    .unauthorized,
                    "This is not a valid token.",
                    next:
                        "Check that you have pasted all of it, beginning with \(AccessToken.prefix), or ask for a new one."
                )
            )
            return page.response()
        }
        return Self.let(in: token, to: form["next"] ?? "/", request)
    }

    private static func `let`(in token: String, to path: String, _ request: APIRequest) -> APIResponse {
        // Not to another site: a path, and no address without a scheme.
        let isLocal =
            path.hasPrefix("/") && !path.hasPrefix("//") && !path.hasPrefix("/\\")
            && path.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let cookie = cookie(token, "Max-Age=2592000", request)
        return APIResponse(.seeOther, fields: [.location: isLocal ? path : "/", .setCookie: cookie])
    }

    /// The cookie; only over HTTPS if the page came that way.
    private static func cookie(_ value: String, _ age: String, _ request: APIRequest) -> String {
        let isSecure = request.fields[.origin]?.hasPrefix("https://") == true
        return "\(Entrance.cookie)=\(value); Path=/; \(age); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
    }
}

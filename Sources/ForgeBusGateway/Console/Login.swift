import ForgeBusProtocol
import ForgeLocks
import HTTPTypes

/// Lets users of the console in: the token goes into a cookie that no script can read.
///
/// The gateway keeps no sessions. A cookie holds for 30 days, but no longer than its token; a restart of the gateway does
/// not end it.
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
    func respond(to request: APIRequest, _ entrance: Entrance) -> APIResponse? {
        switch (request.path, request.method) {
        case (["login"], .get), (["login"], .head): return page(request)
        case (["login"], .post): return enter(request, entrance)
        case (["logout"], .post):
            return APIResponse(
                .seeOther,
                fields: [.location: "/login", .setCookie: cookie("", "Max-Age=0", request)]
            )
        default: return nil
        }
    }

    private func page(_ request: APIRequest) -> APIResponse {
        func given(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
        if request.method == .get, let code = given("code"),
            let known = codes.withLock({ $0.removeValue(forKey: code) }), known.made.advanced(by: Self.codeTime) > .now
        {
            return self.let(in: known.token, to: "/", request)
        }
        var page = ConsolePage(title: "Log in", template: "login", data: ["next": given("next") ?? "/"])
        if given("code") != nil {
            page.problem = Problem(
                BusError(
                    .unauthorized,
                    "The link does not work: it was used already, it is older than 10 minutes, the gateway was "
                        + "restarted, or a part of the link is missing.",
                    next: "Log in with your token below. The program that printed the link prints a new one when it "
                        + "starts again."
                )
            )
        }
        return page.response()
    }

    private func enter(_ request: APIRequest, _ entrance: Entrance) -> APIResponse {
        let form = try? Form(request)
        guard let token = form?["token"]?[...].trimmed, entrance.knows(token) else {
            let next = form?["next"] ?? "/"
            var page = ConsolePage(title: "Log in", template: "login", data: ["next": next])
            page.problem = Problem(
                BusError(
                    .unauthorized,
                    "This is not a valid token.",
                    next:
                        "Paste the whole token; it begins with \(AccessToken.prefix). If you did so, the token has "
                        + "expired, or this gateway does not know it: ask the person who runs the worker for a valid "
                        + "one."
                )
            )
            return page.response()
        }
        return self.let(in: token, to: form?["next"] ?? "/", request)
    }

    private func `let`(in token: String, to path: String, _ request: APIRequest) -> APIResponse {
        // Only to a path of this site: browsers take the text after `//` or `/\` for the name of another host.
        let isLocal =
            path.hasPrefix("/") && !path.hasPrefix("//") && !path.hasPrefix("/\\")
            && path.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        let cookie = cookie(token, "Max-Age=2592000", request)
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

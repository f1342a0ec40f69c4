import ForgeBusProtocol

/// The errors and sentences of the gateway.
///
/// Each function makes one finished error, so that the rest of the module has no prose.
enum Errors {
    static let unauthorized = BusError(
        .unauthorized,
        "The request has no token, or its token is malformed, expired or unknown to the gateway.",
        next:
            "Send the header `Authorization: Bearer TOKEN` with a token that is valid now. For a new one, ask the "
            + "worker's operator, who makes it with `forgebus token NAME`, adds the printed lines to the access file, "
            + "and sends SIGHUP to the gateway."
    )

    /// The error of a gateway with one token for all.
    private static let unauthorizedCommon = BusError(
        .unauthorized,
        "The request has no token, or another token than that of the gateway.",
        next:
            "Send the header `Authorization: Bearer TOKEN`: the gateway printed the path of the file with its token when it "
            + "started."
    )

    /// The error of a request that nobody proves.
    static func unauthorized(isCommon: Bool, hasProxy: Bool) -> BusError {
        var error = isCommon ? unauthorizedCommon : unauthorized
        if hasProxy {
            error.next +=
                " If a proxy logs you in, it must also send the header Forgebus-Proxy-Secret, which this request "
                + "does not have."
        }
        return error
    }

    static let forwarded = BusError(
        .unauthorized,
        "The request has a header of a proxy (Forwarded, X-Forwarded-For, X-Real-IP or Via), but a gateway without tokens "
            + "serves only programs of its own machine.",
        next:
            "Start the gateway with `--token-file FILE` (a missing file is made, with a new token), and send the token "
            + "of this file with each request. To give each user a token, start the worker and the gateway with keys "
            + "and `--access FILE`."
    )

    static let badProxySecret = BusError(
        .unauthorized,
        "The request has a wrong secret in the header Forgebus-Proxy-Secret, or has this header more than once.",
        next:
            "Let the proxy replace this header of each request with the content of the file that `--proxy-secret-file` "
            + "names. The gateway reads this file only when it starts: after a change of the file, restart the gateway."
    )

    static func namelessUser(_ header: String, _ found: String?) -> BusError {
        let shown =
            found.map { "is \(Printable.quoted($0)), which is not a possible name of a principal" } ?? "is missing"
        return BusError(
            .unauthorized,
            "The gateway cannot tell who sends the request: the proxy's header \(header) \(shown).",
            next:
                "Let the proxy send exactly one such header with each request, with the name of a principal of the "
                + "access file. Such a name consists of A-Z a-z 0-9 _ - and dots."
        )
    }

    /// The header `field`, Origin or Sec-Fetch-Site, names another site than the header Host.
    static func crossSite(_ field: String, _ value: String, host: String?) -> BusError {
        BusError(
            .crossSite,
            "The request seems to come from a page of another site: its header \(field) is "
                + "\(Printable.quoted(value)), and its header Host is \(Printable.quoted(host ?? "")).",
            next:
                "If browsers reach the page and this gateway at the same address, a proxy has changed the header Host: "
                + "let the proxy pass it on unchanged, and start the gateway with `--host NAME`, where NAME is the host "
                + "name in that address. Otherwise send the request from a page at the gateway's address. A program "
                + "that is not a browser must leave out the header \(field)."
        )
    }

    static func unknownHost(_ host: String?) -> BusError {
        guard let host else {
            return BusError(
                .unknownHost,
                "The request has no header Host.",
                next: "Send the header Host, with `localhost` or a name that `--host` gave to the gateway."
            )
        }
        return BusError(
            .unknownHost,
            "The header Host names \(Printable.quoted(host)), which this gateway does not serve.",
            next:
                "On the gateway's own machine, use `localhost`; otherwise start the gateway with "
                + "`--host \(Printable.escaped(Entrance.name(of: host)))`."
        )
    }

    static let severalHosts = BusError(
        .unknownHost,
        "The request names several hosts, in its headers Host or in its target.",
        next:
            "Send one header Host, and a target that begins with / or names the same host, with `localhost` or a name that `--host` gave to the gateway."
    )

    static func unknownPath(_ path: String) -> BusError {
        BusError(
            .unknownPath,
            "The gateway has nothing at the path \(Printable.quoted(path)).",
            next: path.hasPrefix("/hooks/")
                ? "Compare the path with /hooks/NAME, where NAME is one of the names below `webhooks` in the worker "
                    + "file. A gateway in a process of its own needs this file, too: start the gateway with "
                    + "`--config FILE`."
                : "Look for the path in /v1/openapi.json, or open the console at / and look for the page."
        )
    }

    /// The target of the request does not begin with a slash, or has a malformed escape.
    static func unreadableTarget(_ target: String) -> BusError {
        BusError(
            .unknownPath,
            "The gateway cannot read the path and query \(Printable.quoted(target)).",
            next:
                "Begin the path with /. After each %, write two hexadecimal digits, such as %20 for a space, or %25 "
                + "for % itself; the bytes that are written so must be text in UTF-8."
        )
    }

    static func unknownMethod(_ method: String, allowed: [String]) -> BusError {
        BusError(
            .unknownMethod,
            "The path does not have the method \(Printable.quoted(method)).",
            next:
                "Use \(allowed.joined(separator: " or ")) here; /v1/openapi.json lists the paths of the API and their methods.",
            details: ["allow": .array(allowed.map { .string($0) })]
        )
    }

    // MARK: Places

    /// Every place for a connection is taken by a connection that has sent a request.
    static let noPlace = BusError(
        .busy,
        "The gateway has too many connections; on this one, it answers only /livez and /readyz.",
        next:
            "Send the request again in a moment. If this happens often, let clients close connections and streams that "
            + "they do not need, or start another gateway.",
        retryAfter: .seconds(1),
        details: ["limit": "connections"]
    )

    /// The client of the trusted proxy has too many requests at the same time.
    static let tooManyConnections = BusError(
        .busy,
        "The address from which this request comes has too many requests at the same time.",
        next:
            "Send the request again when an earlier one has ended. If many users share this address, start the gateway "
            + "with a higher `--connections-per-address`.",
        retryAfter: .seconds(1),
        details: ["limit": "connections_per_address"]
    )

    // MARK: Signing in

    static let invalidToken = BusError(
        .unauthorized,
        "This is not a valid token.",
        next:
            "Paste the whole token; it begins with \(AccessToken.prefix). If you did so, the token has "
            + "expired, or this gateway does not know it: ask the person who runs the worker for a valid "
            + "one."
    )

    static func tooManySignIns(_ wait: Duration) -> BusError {
        BusError(
            .busy,
            "Somebody at your address has tried too often to log in without a valid token.",
            next: "Wait a moment, and then log in again.",
            retryAfter: wait,
            details: ["limit": "logins"]
        )
    }

    static let usedLink = BusError(
        .unauthorized,
        "The link does not work: it was used already, it is older than 10 minutes, the gateway was "
            + "restarted, or a part of the link is missing.",
        next: "Log in with your token below. The program that printed the link prints a new one when it "
            + "starts again."
    )
}

import ForgeBusProtocol

/// The codes that only a gateway uses, beside those of the bus.
extension ErrorCode {
    /// The request has no valid token.
    static let unauthorized = ErrorCode(rawValue: "unauthorized")
    /// The delivery to a webhook has no valid signature.
    static let badSignature = ErrorCode(rawValue: "bad_signature")
    /// The gateway cannot check the deliveries to this webhook.
    static let webhookUnavailable = ErrorCode(rawValue: "webhook_unavailable")
    /// The request came from a page of another site.
    static let crossSite = ErrorCode(rawValue: "cross_site")
    /// The header `Host` names a host that the gateway does not serve.
    static let unknownHost = ErrorCode(rawValue: "unknown_host")
    /// The gateway has no resource at this path.
    static let unknownPath = ErrorCode(rawValue: "unknown_path")
    /// The resource does not have this method.
    static let unknownMethod = ErrorCode(rawValue: "unknown_method")
    /// The type of the body is not one that the resource reads.
    static let unsupportedType = ErrorCode(rawValue: "unsupported_type")
    /// The body did not arrive in time.
    static let slowBody = ErrorCode(rawValue: "slow_body")
    /// Another decision came first and stands.
    static let decisionConflict = ErrorCode(rawValue: "decision_conflict")
    /// The deadline passed before the decision came.
    static let decisionExpired = ErrorCode(rawValue: "decision_expired")
    /// The signal ended without a decision.
    static let decisionClosed = ErrorCode(rawValue: "decision_closed")
    /// The gate's rules do not let the sender decide.
    static let decisionForbidden = ErrorCode(rawValue: "decision_forbidden")
    /// Nothing waits for the decision, and the worker does not keep it.
    static let decisionUnknown = ErrorCode(rawValue: "decision_unknown")

    /// The codes of a gateway, with their meanings.
    static let gatewayCatalogue = [
        Entry(
            code: .unauthorized,
            meaning: "The request does not prove that its sender may use the gateway.",
            isRetryable: false
        ),
        Entry(
            code: .badSignature,
            meaning: "The delivery has no valid signature, or its time differs too much from the gateway's time.",
            isRetryable: false
        ),
        Entry(
            code: .webhookUnavailable,
            meaning: "The gateway cannot check deliveries to this webhook now.",
            isRetryable: true
        ),
        Entry(code: .crossSite, meaning: "The request seems to come from a page of another site.", isRetryable: false),
        Entry(
            code: .unknownHost,
            meaning: "The header Host is missing or repeated, or names a host that the gateway does not serve.",
            isRetryable: false
        ),
        Entry(code: .unknownPath, meaning: "The gateway has nothing at this path.", isRetryable: false),
        Entry(code: .unknownMethod, meaning: "The path does not have this method.", isRetryable: false),
        Entry(
            code: .unsupportedType,
            meaning: "The path does not read bodies of this type, or the request does not name the type.",
            isRetryable: false
        ),
        Entry(code: .slowBody, meaning: "The body did not arrive in time.", isRetryable: true),
        Entry(code: .decisionConflict, meaning: "Another decision came first and stands.", isRetryable: false),
        Entry(code: .decisionExpired, meaning: "The deadline passed before the decision came.", isRetryable: false),
        Entry(code: .decisionClosed, meaning: "The signal ended without a decision.", isRetryable: false),
        Entry(
            code: .decisionForbidden,
            meaning: "The gate's rules do not let this principal decide.",
            isRetryable: false
        ),
        Entry(
            code: .decisionUnknown,
            meaning: "Nothing waits for the decision, and the worker does not keep it.",
            isRetryable: false
        ),
    ]
}

extension BusError {
    static let unauthorized = BusError(
        .unauthorized,
        "The request has no token, or its token is malformed, expired or unknown to the gateway.",
        next:
            "Send the header `Authorization: Bearer TOKEN` with a token that is valid now. For a new one, ask the "
            + "worker's operator, who makes it with `forgebus token NAME`, adds the printed lines to the access file, "
            + "and sends SIGHUP to the gateway."
    )

    /// The error of a gateway with one token for all.
    static let unauthorizedCommon = BusError(
        .unauthorized,
        "The request has no token, or another token than that of the gateway.",
        next:
            "Send the header `Authorization: Bearer TOKEN`: the gateway printed the path of the file with its token when it "
            + "started."
    )

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

    /// The header `field` is missing, or does not fit the secret.
    static func badSignature(_ field: String, isMissing: Bool) -> BusError {
        if isMissing {
            // Only a service that signs as Standard Webhooks asks sends this header, also without the right secret.
            guard field != "webhook-timestamp" else {
                return BusError(
                    .badSignature,
                    "The header \(field) of the delivery is missing, empty or repeated.",
                    next:
                        "Let the service sign as Standard Webhooks asks, or correct the webhook's `signature`. Check "
                        + "also that no proxy removes or repeats this header."
                )
            }
            return BusError(
                .badSignature,
                "The header \(field) of the delivery is missing, empty or repeated.",
                next:
                    "Enter the content of the webhook's `secret_file` as the secret in the settings of the service; if the "
                    + "service signs in another way, correct the webhook's `signature`. Check also that no proxy "
                    + "removes or repeats this header."
            )
        }
        return BusError(
            .badSignature,
            "The header \(field) of the delivery does not fit the webhook's secret.",
            next:
                "Check that the service and the webhook's `secret_file` have the same secret. If they have, check that "
                + "the service signs as the webhook's `signature` says, and that no proxy changes the delivery."
        )
    }

    /// The gateway cannot read the secret of a webhook.
    static let noSecret = BusError(
        .webhookUnavailable,
        "The gateway cannot read the secret of this webhook.",
        next:
            "Look in the log of the gateway for “the secret of its webhook cannot be used”: that line has the cause. "
            + "Remove this cause, and then send the delivery again."
    )

    /// The secret of a webhook with the signature `standard` is not a key.
    static let noKey = BusError(
        .webhookUnavailable,
        "The secret of this webhook is not a key in base64, as Standard Webhooks asks.",
        next: "Let `secret` of the `Webhook` return `whsec_` and the key in base64. Then send the delivery again."
    )

    static func noTime(_ text: String) -> BusError {
        BusError(
            .badSignature,
            "The header webhook-timestamp is \(Printable.quoted(text)), which is not a number of seconds since 1970.",
            next:
                "Let the service sign as Standard Webhooks asks, or correct the webhook's `signature` in the worker file."
        )
    }

    static func oldDelivery(_ seconds: String) -> BusError {
        // Years of more than four digits are shown only as seconds.
        let time = Int64(seconds).flatMap { (0..<253_402_300_800).contains($0) ? $0 : nil }
        let date = time.map { " (\(Moment(unixMilliseconds: $0 * 1000).exact))" } ?? ""
        return BusError(
            .badSignature,
            "The header webhook-timestamp is \(Printable.quoted(seconds)), in seconds since 1970\(date); it differs "
                + "from the gateway's clock by more than 5 minutes.",
            next:
                "If this is an old delivery that was sent again, let the service sign it again, with a new time. "
                + "Otherwise correct the clock of the service or of the gateway's machine, and let the service send "
                + "the delivery again."
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
        "The request has several headers Host.",
        next: "Send one header Host, with `localhost` or a name that `--host` gave to the gateway."
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

    static func unsupportedType(_ type: String?, expected: String, _ form: String = "a body") -> BusError {
        BusError(
            .unsupportedType,
            type.map { "The body has the type \(Printable.quoted($0)), which this path does not read." }
                ?? "The request does not name the type of its body.",
            next: "Send \(form) of the type \(expected), with the header `Content-Type: \(expected)`."
        )
    }

    /// The error of a body that ends too early; only a log shows it, because the sender has left.
    static let cutBody = BusError(
        .slowBody,
        "The connection was closed before the whole body of the request had arrived.",
        next:
            "Let the sender send the request again; the worker did not get it. If this happens often, check the "
            + "network and the proxies between the sender and the gateway."
    )

    static let slowBody = BusError(
        .slowBody,
        "The body of the request did not arrive within the gateway's time limit, 60 seconds by default.",
        next: "Send the request again, over a faster connection or with a smaller body; the worker did not get it."
    )
}

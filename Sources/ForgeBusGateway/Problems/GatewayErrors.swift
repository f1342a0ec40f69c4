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
        Entry(code: .unauthorized, meaning: "The request has no valid token.", isRetryable: false),
        Entry(code: .badSignature, meaning: "The delivery has no valid signature.", isRetryable: false),
        Entry(
            code: .webhookUnavailable,
            meaning: "The gateway cannot check deliveries to this webhook now.",
            isRetryable: true
        ),
        Entry(code: .crossSite, meaning: "The request came from a page of another site.", isRetryable: false),
        Entry(code: .unknownHost, meaning: "The gateway does not serve this host name.", isRetryable: false),
        Entry(code: .unknownPath, meaning: "The gateway has nothing at this path.", isRetryable: false),
        Entry(code: .unknownMethod, meaning: "The path does not have this method.", isRetryable: false),
        Entry(code: .unsupportedType, meaning: "The gateway does not read bodies of this type.", isRetryable: false),
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
        "The request has no valid token.",
        next: "Send the header `Authorization: Bearer TOKEN`; `forgebus token NAME` makes a token."
    )

    /// The error of a gateway with one token for all.
    static let unauthorizedCommon = BusError(
        .unauthorized,
        "The request has no valid token.",
        next:
            "Send the header `Authorization: Bearer TOKEN`: the gateway named the file with its token when it started."
    )

    static let forwarded = BusError(
        .unauthorized,
        "The request came through a proxy, and this gateway has no tokens.",
        next: "Start the gateway with `--token-file`, or give the worker keys, and send a token."
    )

    static let badProxySecret = BusError(
        .unauthorized,
        "The header Forgebus-Proxy-Secret does not have the secret of this gateway's proxy.",
        next: "Check that the proxy sends the content of the file of `--proxy-secret-file`."
    )

    static func namelessUser(_ header: String, _ found: String?) -> BusError {
        let shown = found.map { "has \(Printable.quoted($0)), which is not the name of a principal" } ?? "is missing"
        return BusError(
            .unauthorized,
            "The proxy does not tell who sends the request: the header \(header) \(shown).",
            next: "Let the proxy send the name of one principal of the access file."
        )
    }

    /// The header `field` is missing, or does not fit the secret.
    static func badSignature(_ field: String, isMissing: Bool) -> BusError {
        if isMissing {
            return BusError(
                .badSignature,
                "The delivery has no header \(field), or several.",
                next: "Let the service sign its deliveries with the secret of the webhook's `secret_file`."
            )
        }
        return BusError(
            .badSignature,
            "The header \(field) of the delivery does not fit the webhook's secret.",
            next: "Check that the service and the webhook's `secret_file` have the same secret."
        )
    }

    /// The gateway cannot read the secret of a webhook.
    static let noSecret = BusError(
        .webhookUnavailable,
        "The gateway cannot read the secret of this webhook.",
        next: "Look at the log of the gateway, and send the delivery again."
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
        BusError(
            .badSignature,
            "The time of the delivery, \(Printable.quoted(seconds)), differs from the gateway's time by more than 5 minutes.",
            next: "Let the service send it again, and check the clocks of both machines."
        )
    }

    static func crossSite(_ origin: String) -> BusError {
        BusError(
            .crossSite,
            "The request came from a page of another site, \(Printable.quoted(origin)).",
            next: "Send it from a page of the gateway, or from a program that is not a browser."
        )
    }

    static func unknownHost(_ host: String?) -> BusError {
        guard let host else {
            return BusError(
                .unknownHost,
                "The request has no header Host.",
                next: "Send the header Host, with a name that the gateway serves."
            )
        }
        return BusError(
            .unknownHost,
            "The header Host names \(Printable.quoted(host)), which this gateway does not serve.",
            next: "Use a name that the gateway serves, or start the gateway with `--host` and this name."
        )
    }

    static let severalHosts = BusError(
        .unknownHost,
        "The request has several headers Host.",
        next: "Send one, with a name that the gateway serves."
    )

    static func unknownPath(_ path: String) -> BusError {
        BusError(
            .unknownPath,
            "The gateway has nothing at the path \(Printable.quoted(path)).",
            next: "Look for the path in /v1/openapi.json, or open the console at / and look for the page."
        )
    }

    static func unknownMethod(_ method: String, allowed: [String]) -> BusError {
        BusError(
            .unknownMethod,
            "The path does not have the method \(Printable.quoted(method)).",
            next: "Use \(allowed.joined(separator: " or ")).",
            details: ["allow": .array(allowed.map { .string($0) })]
        )
    }

    static func unsupportedType(_ type: String?, expected: String) -> BusError {
        BusError(
            .unsupportedType,
            type.map { "The body has the type \(Printable.quoted($0))." } ?? "The body has no type.",
            next: "Send it with the header `Content-Type: \(expected)`."
        )
    }

    static let slowBody = BusError(
        .slowBody,
        "The body of the request did not arrive in time.",
        next: "Send the request again with the same Idempotency-Key."
    )
}

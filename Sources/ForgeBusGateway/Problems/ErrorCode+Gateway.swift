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

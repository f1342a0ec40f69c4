import ForgeBusProtocol
import HTTPTypes

/// An error as an answer to an HTTP request: problem details (RFC 9457).
struct Problem: Hashable, Sendable {
    let status: HTTPResponse.Status
    private(set) var error: BusError
    /// The meaning of the error's code, the same for every error with the code.
    let title: String
    /// Whether the same request can succeed later.
    let isRetryable: Bool

    /// The media type of problem details.
    static let mediaType = "application/problem+json"

    /// Makes a problem of an error of the bus or of the gateway; `next` replaces the next move for programs.
    init(_ error: BusError, next: String? = nil) {
        let entry = Self.entries.first { $0.code == error.code }
        status = Self.status(of: error.code)
        title = entry?.meaning ?? "The worker refused the request."
        isRetryable = entry?.isRetryable ?? false
        self.error = error
        self.error.next = next ?? Errors.next(after: error) ?? error.next
    }

    /// The problem as a JSON object.
    ///
    /// The members `type`, `title`, `status` and `detail` are those of RFC 9457. The other members are those of ERROR
    /// in the protocol of the bus: `code`, `next`, `retryable`, `retry_after_ms` and the details.
    var json: JSONObject {
        var json = error.details
        json["type"] = .string(Self.path(of: error.code.rawValue))
        json["title"] = .string(title)
        json["status"] = .integer(Int64(status.code))
        json["detail"] = .string(error.message)
        json["code"] = .string(error.code.rawValue)
        json["next"] = .string(error.next)
        json["retryable"] = .bool(isRetryable)
        if let time = error.retryAfter { json["retry_after_ms"] = .integer(time.milliseconds) }
        return json
    }

    /// The header fields of the answer, beside those that each answer has.
    var fields: HTTPFields {
        var fields: HTTPFields = [:]
        if status == .unauthorized { fields[.wwwAuthenticate] = #"Bearer realm="forgebus""# }
        if let allowed = error.details["allow"]?.array {
            fields[.allow] = allowed.compactMap(\.string).joined(separator: ", ")
        }
        if status == .tooManyRequests || status == .serviceUnavailable {
            // Whole seconds, rounded up: zero would ask for a retry at once.
            let time = error.retryAfter ?? .seconds(1)
            fields[.retryAfter] = "\(max(1, (time.milliseconds + 999) / 1000))"
        }
        return fields
    }

    /// The path at which the gateway explains a code.
    static func path(of code: String) -> String { "/v1/problems/\(code)" }
}

extension Problem {
    /// The codes that a problem can have, with their meanings.
    static let entries = ErrorCode.catalogue + ErrorCode.gatewayCatalogue

    /// The status for each code; a code that is not here has the status 500.
    ///
    /// 502 means that the gateway and the worker do not understand each other.
    static func status(of code: ErrorCode) -> HTTPResponse.Status {
        switch code {
        case .badID, .badName, .badPattern, .badAttribute, .badBody: .badRequest
        case .unauthorized, .badSignature: .unauthorized
        case .forbidden, .decisionForbidden, .crossSite: .forbidden
        case .unknownPipeline, .unknownRun, .unknownSignal, .unknownMonitor, .unknownPath,
            .decisionUnknown:
            .notFound
        case .unknownMethod: .methodNotAllowed
        case .slowBody: .requestTimeout
        case .idTaken, .keyHeld, .notRejectable, .notParked, .countDiffers, .decisionConflict: .conflict
        case .decisionExpired, .decisionClosed: .gone
        case .tooLarge: .contentTooLarge
        case .unsupportedType: .unsupportedMediaType
        case .unknownHost: .misdirectedRequest
        case .badSeed, .badValue, .idConflict, .notDurable: .unprocessableContent
        case .busy: .tooManyRequests
        case .unsupportedVersion, .unknownCommand, .notForge, .badAnswer, .otherStore: .badGateway
        case .webhookUnavailable, .notReady, .draining, .unreachable, .closed, .cancelled: .serviceUnavailable
        case .timeout: .gatewayTimeout
        default: .internalServerError
        }
    }
}

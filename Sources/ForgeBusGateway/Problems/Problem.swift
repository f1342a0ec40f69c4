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
        self.error.next = next ?? Self.next(after: error) ?? error.next
    }

    /// The next move over HTTP, where that of the bus does not suffice, or names a command or a client in Swift; nil
    /// elsewhere.
    private static func next(after error: BusError) -> String? {
        switch error.code {
        case .timeout:
            error.details["request"]?.string.map {
                "\(error.next) Over HTTP, the id is the header `Idempotency-Key: \($0)`."
            }
        case .unknownRun:
            "Compare the id with those in /v1/runs: the Idempotency-Key of a request is not the id of its run. If you "
                + "asked for a history, compare it also with /v1/signals and /v1/monitors. Runs and signals that have "
                + "ended are kept only for some time."
        case .unknownSignal:
            "Look for the id in /v1/signals, which lists the signals that wait. The worker forgets a decided signal "
                + "after some time; /v1/history/ with its id may still show what happened."
        case .unknownMonitor: "Look for the name in /v1/monitors."
        // The advice of the worker depends on the state of the run.
        case .notParked: error.next.replacing("`forgebus explain ", with: "`/v1/history/")
        // Without a command in its advice, the sender may not read the signal.
        case .idTaken where error.next.contains("`forgebus "):
            "Look at the signal at /v1/signals/ with its id. The id becomes free when the signal and the run that owns "
                + "it have ended, and the worker's signal retention is over: then send the request again. If the id "
                + "contains seeds, you can also start a run with other seeds."
        case .unknownCommand:
            "The worker is older than the gateway: start the worker with the gateway's version of the program."
        case .draining:
            "Send the same request again as soon as /readyz answers 200: then the next worker accepts requests."
        case .closed, .cancelled:
            error.details["request"]?.string.map {
                "This happens when the gateway stops. When it runs again, send the request again; if it makes a "
                    + "change, send it with the header `Idempotency-Key: \($0)`."
            } ?? "This happens when the gateway stops. When it runs again, send the request again."
        default: nil
        }
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
        case .idTaken, .notRejectable, .notParked, .countDiffers, .decisionConflict: .conflict
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

import ForgeBusProtocol
import ForgeBusStore

/// A request with everything the core must know about it.
///
/// This is a class, because many methods pass a request on, and a copy of a reference is cheap.
final class Received: Sendable {
    let request: Request
    let fingerprint: Fingerprint
    let caller: Caller
    let principal: AccessPolicy.Principal

    init(request: Request, fingerprint: Fingerprint, caller: Caller, principal: AccessPolicy.Principal) {
        self.request = request
        self.fingerprint = fingerprint
        self.caller = caller
        self.principal = principal
    }

    /// The request's key in the ledger.
    var key: RequestKey { RequestKey(principal: principal.ledgerName, id: request.id) }
}

extension RequestKey {
    /// The label that the sender gave itself, as a detail of the history; empty if it gave none or the worker has keys.
    ///
    /// Without keys the ledger keeps the requests of each label apart. With keys the principal identifies the sender.
    var label: JSONObject {
        let local = "\(AccessPolicy.reservedName)/"
        return principal.hasPrefix(local) ? ["source": .string(String(principal.dropFirst(local.count)))] : [:]
    }
}

extension Step {
    /// Answers a request.
    mutating func answer(_ received: Received, _ content: Answer.Content, isReplayed: Bool = false) {
        answer(received.caller, received.request.id, content, isReplayed: isReplayed)
    }

    /// Refuses a request, which then has no effect.
    mutating func refuse(_ received: Received, _ error: BusError) {
        answer(received, .error(error))
        audit(error, received)
    }
}

// Refusals used in more than one folder.
extension BusError {
    /// The error for a request that is refused because a limit is reached.
    static func busy(
        _ limit: String,
        _ cause: String,
        next: String = "Send the same request again later."
    ) -> BusError {
        BusError(
            .busy,
            cause,
            next: next,
            retryAfter: .seconds(1),
            details: ["limit": .string(limit)]
        )
    }
}

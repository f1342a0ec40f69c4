import ForgeBusProtocol
import ForgeBusStore

/// A request with everything the core has to know of it.
///
/// A class, because it is passed on through many hands.
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

    /// Under which key the ledger keeps it.
    var key: RequestKey { RequestKey(principal: principal.ledgerName, id: request.id) }
}

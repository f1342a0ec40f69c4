import ForgeBusProtocol
import ForgeBusStore

@testable import ForgeBusWorker

/// A process that asks: it keeps sending each request under the same id until the last answer has come.
///
/// It may die and begin anew, or lose its connection and come back with what it asked for.
struct SimulatedClient {
    /// A request that waits for its last answer.
    struct Pending {
        let request: Request
        let fingerprint: Fingerprint
        var isAccepted = false
        /// Why it was sent away last.
        var refusal: ErrorCode?

        var isWatch: Bool { if case .watch = request.command { true } else { false } }
        var isNotification: Bool { if case .notify = request.command { true } else { false } }
    }

    let number: Int
    let principal: AccessPolicy.Principal
    private var connections = 0
    /// The id of a connection that is gone, where it claims that.
    private var taken: Int?
    private(set) var pending: [Pending] = []
    /// What was asked for that a ledger keeps, by the number in its id.
    private(set) var asked: [Request.Command] = []
    private var reads = 0

    init(_ number: Int, of principal: AccessPolicy.Principal) {
        self.number = number
        self.principal = principal
    }

    /// The number of its connection.
    var peer: Int { taken ?? number + 100 * connections }

    /// A new id for a command: one that a ledger keeps begins with an `l`.
    mutating func newID(for command: Request.Command) -> String {
        guard command.isLedgered else {
            reads += 1
            return "r\(number)-\(reads)"
        }
        asked.append(command)
        return "l\(number)-\(asked.count - 1)"
    }

    /// A request is made; what is sent is the same each time.
    mutating func ask(_ request: Request) -> Received {
        let received = Received(request, from: peer, as: principal)
        pending.append(Pending(request: request, fingerprint: received.fingerprint))
        return received
    }

    /// The request as it is sent again, on the connection of now.
    func resend(_ pending: Pending) -> Received {
        Received(
            request: pending.request,
            fingerprint: pending.fingerprint,
            caller: Caller(.numbered(peer), principal.speaker),
            principal: principal
        )
    }

    /// Whether it waits for an answer to this id.
    func waits(for id: RequestID) -> Bool { pending.contains { $0.request.id == id } }

    mutating func reconnect(keepingItsRequests keeps: Bool, under taken: Int? = nil) {
        connections += 1
        self.taken = taken
        // Whoever comes back does not know what came of its watches, and begins others.
        pending = keeps ? pending.filter { !$0.isWatch } : []
    }

    /// An answer came.
    mutating func receive(_ answer: Answer) {
        guard let index = pending.firstIndex(where: { $0.request.id == answer.id }) else { return }
        switch answer.content {
        case .accepted:
            pending[index].isAccepted = true
            pending[index].refusal = nil
            if pending[index].request.endsWithAcceptance { pending.remove(at: index) }
        case .progress, .event: break
        case .error(let error) where error.code.isRetryable: pending[index].refusal = error.code
        case .error, .result, .evaluated, .verdict, .page, .pong, .welcome, .ok, .shown: pending.remove(at: index)
        }
    }

    /// Whether every request has its last answer, or was sent away by a worker that stops.
    func isServed(orSentAway mayBeSentAway: Bool) -> Bool {
        pending.allSatisfy { $0.isWatch || mayBeSentAway && $0.refusal == .draining }
    }

    /// What waits, for people.
    var unserved: [String] {
        pending.filter { !$0.isWatch }.map { "\($0.request.id) \($0.refusal?.rawValue ?? "unanswered")" }
    }
}

extension Request {
    fileprivate var endsWithAcceptance: Bool { command.rules.lastAnswer == .acceptance }
}

// How the bus uses them.
extension SimulatedBus {
    /// A client sends something again that has no last answer yet; what is taken of a watch is more credit.
    mutating func resend() {
        let client = generator.below(clients.count)
        guard let pending = clients[client].pending.randomElement(using: &generator) else { return }
        // A notification that was taken is not sent again: it would ask for one more cycle.
        if pending.isNotification, pending.isAccepted { return }
        network.send(clients[client].resend(pending))
    }

    /// A client sends everything again that has no last answer yet.
    mutating func resendAll(_ client: Int) {
        for pending in clients[client].pending where !pending.isWatch {
            // Its EVALUATED was lost with its connection, or it is still to come.
            if pending.isNotification, pending.isAccepted, harness.core.evaluations.count > 0 { continue }
            network.send(clients[client].resend(pending))
        }
    }
}

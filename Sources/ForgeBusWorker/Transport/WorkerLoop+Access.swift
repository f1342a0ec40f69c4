import ForgeBusProtocol
import ZeroMQ

/// Who is not let in, and what changes that.
extension WorkerLoop {
    /// Answers the same to whatever was sent; to foreign traffic once, as to that of anybody.
    func turnAway(_ message: Message, from peer: PeerID, _ reactor: isolated Reactor) {
        ignore(message)
        let frames = Frames(message)
        if frames == nil, !foreign.isFirst(peer) { return }
        answer(.unknownKey, to: frames.flatMap { try? RequestID(bytes: $0.id) }, at: peer, reactor)
    }

    /// Tells a peer once that it does not speak the protocol.
    func refuseForeign(_ message: Message, from peer: PeerID, _ reactor: isolated Reactor) {
        counters.foreign += 1
        guard foreign.isFirst(peer), let error = BusError(foreign: message) else { return }
        answer(error, to: nil, at: peer, reactor)
    }

    /// Tells a peer that chose its own id that anybody could have chosen the same, and nothing else.
    func refuseChosen(_ message: Message, from peer: PeerID, _ reactor: isolated Reactor) {
        guard let frames = Frames(message) else { return refuseForeign(message, from: peer, reactor) }
        counters.refused += 1
        answer(.chosenRoutingID, to: try? RequestID(bytes: frames.id), at: peer, reactor)
    }

    /// Says something to a peer; for one that chose its own id nothing is kept, so it is told now or not at all.
    private func answer(_ error: BusError, to id: RequestID?, at peer: PeerID, _ reactor: isolated Reactor) {
        if let connection = ConnectionID(peer) { return answer(error, to: id, at: connection) }
        switch reactor.offer(message(Answer(to: id, .error(error))), on: socket, to: peer) {
        case .sent, .queued: counters.answered += 1
        case .full, .unreachable: counters.answersLost += 1
        }
    }

    /// A message came under a key that stands for nobody.
    func ignore(_ message: Message) {
        counters.unknownKeys += 1
        if let key = message.senderKey, unknownKeys.isFirst(key) { audit(AuditRecord(.keyUnknown(key: "\(key)"))) }
    }

    /// Somebody wanted to connect and was not let in.
    func turnedAway(_ refusal: ConnectionGate.Refusal, on reactor: isolated Reactor) {
        switch refusal {
        case .stranger(let key):
            counters.keysRefused += 1
            if refusedKeys.isFirst(key) { audit(AuditRecord(.keyRefused(key: "\(key)"))) }
        case .crowd(let address):
            counters.connectionsPostponed += 1
            guard crowds.isFirst(address) else { return }
            logger.warning("too many connections a minute come from an address", metadata: ["address": "\(address)"])
        }
    }

    /// Another policy holds from the next message on.
    func replaceAccess(with policy: AccessPolicy, by cause: String) async {
        await replaceAccess(with: policy, by: cause, on: reactor)
    }

    private func replaceAccess(with policy: AccessPolicy, by cause: String, on reactor: isolated Reactor) {
        counters.accessReplaced += 1
        refusedKeys.forgetAll()
        crowds.forgetAll()
        unknownKeys.forgetAll()
        step(.accessReplaced(policy, by: cause), reactor)
        submissions.closeAll { !policy.knows($0) }
    }

    /// Another policy was bad, and the one that holds goes on to.
    func keepAccess(because cause: String) async { await keepAccess(because: cause, on: reactor) }

    private func keepAccess(because cause: String, on reactor: isolated Reactor) {
        counters.accessKept += 1
        audit(AuditRecord(.accessKept(digest: core.access.digest, because: cause)))
    }
}

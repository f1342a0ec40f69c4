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
    }

    /// Another policy was bad, and the one that holds goes on to.
    func keepAccess(because cause: String) async { await keepAccess(because: cause, on: reactor) }

    private func keepAccess(because cause: String, on reactor: isolated Reactor) {
        counters.accessKept += 1
        audit(AuditRecord(.accessKept(digest: core.access.digest, because: cause)))
    }
}

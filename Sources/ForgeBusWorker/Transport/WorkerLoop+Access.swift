import ForgeBusProtocol
import ZeroMQ

/// Refused connections, connections with the previous key, and changes of the policy.
extension WorkerLoop {
    /// Answers every message of a connection whose key is unknown with the same error.
    ///
    /// A peer that does not speak the protocol gets the error only once.
    func turnAway(_ message: Message, from peer: PeerID, _ reactor: isolated Reactor) {
        ignore(message)
        let frames = Frames(message)
        if frames == nil, !foreign.isFirst(peer) { return }
        answer(Errors.unknownKey, to: frames.flatMap { try? RequestID(bytes: $0.id) }, at: peer, reactor)
    }

    /// Answers a peer that does not speak the protocol with an error, but only its first message.
    func refuseForeign(_ message: Message, from peer: PeerID, _ reactor: isolated Reactor) {
        counters[.foreign] += 1
        guard foreign.isFirst(peer), let error = BusError(foreign: message) else { return }
        answer(error, to: nil, at: peer, reactor)
    }

    /// Refuses a peer that chose its own id, because another peer may choose the same.
    func refuseChosen(_ message: Message, from peer: PeerID, _ reactor: isolated Reactor) {
        guard let frames = Frames(message) else { return refuseForeign(message, from: peer, reactor) }
        counters[.malformed] += 1
        answer(Errors.chosenRoutingID, to: try? RequestID(bytes: frames.id), at: peer, reactor)
    }

    /// Answers a peer; for a peer that chose its own id, an answer that cannot be sent immediately is lost.
    private func answer(_ error: BusError, to id: RequestID?, at peer: PeerID, _ reactor: isolated Reactor) {
        if let connection = ConnectionID(peer) { return answer(error, to: id, at: connection) }
        guard let socket, mayAct else { return }
        switch reactor.send(postman.message(Answer(to: id, .error(error))), on: socket, to: peer) {
        case .sent: counters[.answered] += 1
        case .full, .unreachable, .refused: counters[.answersLost] += 1
        }
    }

    /// Counts a message of a connection whose key is unknown; audits each key only once until the policy changes.
    func ignore(_ message: Message) {
        counters[.unknownKeys] += 1
        if let key = message.senderKey, told.unknownKeys.isFirst(key) { audit(AuditRecord(.keyUnknown(key: "\(key)"))) }
    }

    /// Counts a connection that was refused, not admitted, or made with the worker's previous key.
    ///
    /// Reports each key and each address only once until the policy changes.
    func take(_ finding: ConnectionGate.Finding, on reactor: isolated Reactor) {
        guard mayAct else { return }
        switch finding {
        case .stranger(let key):
            counters[.keysRefused] += 1
            if told.refusedKeys.isFirst(key) { audit(AuditRecord(.keyRefused(key: "\(key)"))) }
        case .crowd(let address):
            counters[.connectionsPostponed] += 1
            guard told.crowds.isFirst(address) else { return }
            logger.warning(
                """
                more new connections per minute come from one address than the limit `connections_per_minute` allows, \
                and the worker refuses the rest; check the programs at this address, or raise the limit
                """,
                metadata: [
                    "address": "\(address)",
                    "connections_per_minute": "\(core.configuration.limits.connectionsPerMinute)",
                ]
            )
        case .outdated(let key):
            counters[.previousKeyUses] += 1
            guard told.outdatedKeys.isFirst(key) else { return }
            logger.notice(
                "a sender still uses the worker's previous key; give it the new public key before you remove the previous one",
                metadata: ["principal": "\(core.access.principal(forKey: key)?.name ?? "")", "sender_key": "\(key)"]
            )
        }
    }

    /// Replaces the access policy from the next message on.
    func replaceAccess(with policy: AccessPolicy, by cause: String) async {
        await replaceAccess(with: policy, by: cause, on: reactor)
    }

    private func replaceAccess(with policy: AccessPolicy, by cause: String, on reactor: isolated Reactor) {
        counters[.accessReplaced] += 1
        told = ToldPeers()
        step(.accessReplaced(policy, by: cause), reactor)
        publications?.accessReplaced(reactor)
    }

    /// Counts and audits a new policy that was invalid; the current policy stays in force.
    func keepAccess(because cause: String) async { await keepAccess(because: cause, on: reactor) }

    private func keepAccess(because cause: String, on reactor: isolated Reactor) {
        guard mayAct else { return }
        counters[.accessKept] += 1
        audit(AuditRecord(.accessKept(digest: core.access.digest, because: cause)))
    }
}

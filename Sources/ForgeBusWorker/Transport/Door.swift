import ForgeBusProtocol
import ForgeBusStore
import ZeroMQ

/// Decides who may speak: reads what comes in, over the socket or from the worker's own process, and passes requests on.
///
/// Owned by the reactor thread.
final class Door {
    /// The loop that owns this; it lives longer, so a checked reference would only cost time on each use.
    private unowned(unsafe) let loop: WorkerLoop
    /// How many connections are open over the socket, handshakes included.
    private(set) var connections = 0
    private var callers: Callers
    private var submissions = Submissions()
    /// Peers that don't speak the protocol; each gets one error.
    private var foreign = ToldOnce<PeerID>(atMost: 10_000)
    /// The keys and addresses that the worker has reported since the latest change of the access policy.
    private var told = ToldPeers()

    init(of loop: WorkerLoop) {
        self.loop = loop
        callers = Callers(limits: loop.limits)
    }

    /// Counts a connection over the socket.
    func opened() { connections += 1 }

    /// Counts the end of a connection over the socket.
    func closed() { connections -= 1 }

    /// How many connections are open; each submission that still waits for answers counts as one.
    private var count: Int { connections + submissions.count }

    /// Reads a message, and passes the request to the core.
    func receive(_ message: Message, from peer: PeerID, _ reactor: isolated Reactor) {
        guard loop.mayAct else { return }
        loop.counters[.received] += 1
        // This check comes before the message is read, so a removed key has no effect, even on an open connection.
        let access = loop.core.access
        guard let sender = access.sender(of: message) else { return turnAway(message, from: peer, reactor) }
        guard let connection = ConnectionID(peer) else { return refuseChosen(message, from: peer, reactor) }
        var caller = Caller(connection, sender)
        let crowding = hear(&caller, reactor)
        guard let frames = Frames(message) else { return refuseForeign(message, from: peer, reactor) }
        if let crowding { return loop.postman.refuse(crowding, try? RequestID(bytes: frames.id), of: caller, reactor) }
        decide(frames, of: caller, sender, access, reactor)
    }

    /// Passes a request to the core; refuses frames that are not a valid request.
    private func decide(
        _ frames: Frames,
        of caller: Caller,
        _ sender: AccessPolicy.Principal,
        _ access: AccessPolicy,
        _ reactor: isolated Reactor
    ) {
        do throws(BusError) {
            let request = try Request(decoding: frames)
            // The message may have come after the turn began.
            if request.command.asksForAges { loop.forgetTime() }
            if loop.describe(for: request, of: caller, sender, reactor) { return }
            // While the database does not answer, the worker refuses requests at once, so that the sender can try another
            // worker.
            if loop.lease != nil, loop.conditions.holds(.store) {
                loop.counters[.refusedStore] += 1
                owes(caller)
                let error = BusError.busy("store", "The worker's database has not answered for more than a second.")
                return loop.postman.send(Answer(to: request.id, .error(error)), to: caller, reactor)
            }
            // A slow store delays senders and does not fill the worker's memory. This answer depends on no commit, so
            // it overtakes the waiting ones.
            guard loop.committer.size < loop.limits.backlogSizeInBytes else {
                loop.counters[.refusedBacklog] += 1
                loop.conditions.set(.backlog, true, at: loop.unixMilliseconds)
                let error = Errors.backlog(loop.committer.size, most: loop.limits.backlogSizeInBytes)
                owes(caller)
                loop.postman.send(Answer(to: request.id, .error(error)), to: caller, reactor)
                return
            }
            let received = Received(
                request: request,
                fingerprint: request.command.isLedgered ? Fingerprint(of: request, frames: frames) : .none,
                caller: caller,
                principal: access.effective(sender, of: request)
            )
            lookForRoom(before: received, reactor)
            loop.step(.received(received), reactor)
        } catch {
            loop.counters[.malformed] += 1
            owes(caller)
            loop.answer(error, to: try? RequestID(bytes: frames.id), of: caller)
        }
    }

    /// Ends the watches of connections that are gone, if a new watch would otherwise find no room.
    private func lookForRoom(before received: Received, _ reactor: isolated Reactor) {
        // Called for each message, so most return here without reading the core.
        guard case .watch = received.request.command else { return }
        let doubtful = loop.core.doubtfulConnections(before: received, at: loop.now())
        guard !doubtful.isEmpty, let id = try? RequestID("worker.\(loop.core.configuration.runPrefix)") else { return }
        // No client waits for an answer under this id, so a client that is still connected ignores it.
        let pong = Pong(worker: loop.core.configuration.name, state: loop.core.phase, body: [])
        let word = loop.postman.message(Answer(to: id, .pong(pong)))
        let gone = doubtful.filter { connection in
            guard let socket = loop.socket, let peer = connection.peer else { return !submissions.isOpen(connection) }
            return reactor.send(word, on: socket, to: peer) == .unreachable
        }
        loop.step(.probed(gone: Array(gone)), reactor)
    }
}

// Who speaks on a connection, and what the worker owes it.
extension Door {
    /// Records that a caller sent a message on its connection.
    ///
    /// - Returns: The limit because of which the message is refused; nil if the message may be handled.
    private func hear(_ caller: inout Caller, _ reactor: isolated Reactor) -> Callers.Crowding? {
        if callers.isOvergrown { callers.sweep(keeping: loop.core.listening) }
        switch callers.hear(&caller, among: count) {
        case .heard: break
        case .heardInstead(let former): loop.step(.replaced(former), reactor)
        case .refused(let crowding): return crowding
        }
        return nil
    }

    /// Whether the caller may still get answers: no other principal sent the last message on its connection.
    func mayHear(_ caller: Caller) -> Bool { callers.isCurrent(caller) }

    /// Counts the first answers among the effects of a decision as outstanding.
    func owe(_ effects: ArraySlice<Effect>) { callers.owe(effects) }

    /// Counts an outstanding request that is answered without the core.
    func owes(_ caller: Caller) { callers.owes(caller) }

    /// Records that a request is no longer outstanding: its first answer was handed to the connection, or dropped.
    func answered(_ caller: Caller) { callers.answered(caller) }
}

// Refused connections, and connections with the previous key.
extension Door {
    /// Answers every message of a connection whose key is unknown with the same error.
    ///
    /// A peer that does not speak the protocol gets the error only once.
    private func turnAway(_ message: Message, from peer: PeerID, _ reactor: isolated Reactor) {
        ignore(message)
        let frames = Frames(message)
        if frames == nil, !foreign.isFirst(peer) { return }
        answer(Errors.unknownKey, to: frames.flatMap { try? RequestID(bytes: $0.id) }, at: peer, reactor)
    }

    /// Answers a peer that does not speak the protocol with an error, but only its first message.
    private func refuseForeign(_ message: Message, from peer: PeerID, _ reactor: isolated Reactor) {
        loop.counters[.foreign] += 1
        guard foreign.isFirst(peer), let error = BusError(foreign: message) else { return }
        answer(error, to: nil, at: peer, reactor)
    }

    /// Refuses a peer that chose its own id, because another peer may choose the same.
    private func refuseChosen(_ message: Message, from peer: PeerID, _ reactor: isolated Reactor) {
        guard let frames = Frames(message) else { return refuseForeign(message, from: peer, reactor) }
        loop.counters[.malformed] += 1
        answer(Errors.chosenRoutingID, to: try? RequestID(bytes: frames.id), at: peer, reactor)
    }

    /// Answers a peer; for a peer that chose its own id, an answer that cannot be sent immediately is lost.
    private func answer(_ error: BusError, to id: RequestID?, at peer: PeerID, _ reactor: isolated Reactor) {
        if let connection = ConnectionID(peer) { return loop.answer(error, to: id, of: Caller(unknown: connection)) }
        guard let socket = loop.socket, loop.mayAct else { return }
        switch reactor.send(loop.postman.message(Answer(to: id, .error(error))), on: socket, to: peer) {
        case .sent: loop.counters[.answered] += 1
        case .full, .unreachable, .refused: loop.counters[.answersLost] += 1
        }
    }

    /// Counts a message of a connection whose key is unknown; audits each key only once until the policy changes.
    func ignore(_ message: Message) {
        loop.counters[.unknownKeys] += 1
        if let key = message.senderKey, told.unknownKeys.isFirst(key) {
            loop.audit(AuditRecord(.keyUnknown(key: "\(key)")))
        }
    }

    /// Counts a connection that was refused, not admitted, or made with the worker's previous key.
    ///
    /// Reports each key and each address only once until the policy changes.
    func take(_ finding: ConnectionGate.Finding) {
        guard loop.mayAct else { return }
        switch finding {
        case .stranger(let key):
            loop.counters[.keysRefused] += 1
            if told.refusedKeys.isFirst(key) { loop.audit(AuditRecord(.keyRefused(key: "\(key)"))) }
        case .crowd(let address):
            loop.counters[.connectionsPostponed] += 1
            guard told.crowds.isFirst(address) else { return }
            loop.logger.warning(
                """
                more new connections per minute come from one address than the limit `connections_per_minute` allows, \
                and the worker refuses the rest; check the programs at this address, or raise the limit
                """,
                metadata: [
                    "address": "\(address)",
                    "connections_per_minute": "\(loop.limits.connectionsPerMinute)",
                ]
            )
        case .outdated(let key):
            loop.counters[.previousKeyUses] += 1
            guard told.outdatedKeys.isFirst(key) else { return }
            loop.logger.notice(
                "a sender still uses the worker's previous key; give it the new public key before you remove the previous one",
                metadata: [
                    "principal": "\(loop.core.access.principal(forKey: key)?.name ?? "")", "sender_key": "\(key)",
                ]
            )
        }
    }

    /// Reports keys and addresses again, because the policy has changed.
    func accessReplaced() { told = ToldPeers() }
}

// Submissions of the worker's own process.
extension Door {
    /// How many submissions wait for answers.
    var waiting: Int { submissions.count }

    /// Takes a request of the worker's own process.
    func take(
        _ request: Request,
        _ frames: Frames,
        as principal: AccessPolicy.Principal,
        _ reactor: isolated Reactor
    ) -> AsyncStream<Answer> {
        let (answers, continuation) = AsyncStream.makeStream(
            of: Answer.self,
            bufferingPolicy: .bufferingOldest(Submissions.queueLength)
        )
        guard loop.mayAct, let connection = submissions.open(request.command, continuation) else {
            continuation.finish()
            return answers
        }
        continuation.onTermination = { [weak loop] reason in
            guard case .cancelled = reason, let loop else { return }
            loop.reactor.submit { reactor in loop.door.hangUp(connection, reactor) }
        }
        loop.counters[.received] += 1
        // PING needs no right: code of the worker's own process may always ask whether the worker is ready.
        var isPing: Bool { if case .ping = request.command { true } else { false } }
        let access = loop.core.access
        guard isPing || access.knows(principal) else {
            let error = Errors.unknownPrincipal(principal.name, isKeyed: access.isKeyed)
            loop.answer(error, to: request.id, of: Caller(unknown: connection))
            return answers
        }
        var caller = Caller(connection, principal)
        if let crowding = hear(&caller, reactor) {
            loop.postman.refuse(crowding, request.id, of: caller, reactor)
        } else {
            decide(frames, of: caller, principal, access, reactor)
        }
        return answers
    }

    /// Closes a submission whose answers nobody reads any more.
    private func hangUp(_ connection: ConnectionID, _ reactor: isolated Reactor) {
        submissions.close(connection)
        loop.step(.disconnected(connection), reactor)
        loop.postman.retry(connection, reactor)
    }

    /// Hands an answer to a submission.
    func hand(_ answer: Answer, to connection: ConnectionID) -> AnswerLines.Outcome {
        submissions.hand(answer, to: connection)
    }

    /// Ends all submissions, because the worker closes.
    func closeAll() { submissions.closeAll() }
}

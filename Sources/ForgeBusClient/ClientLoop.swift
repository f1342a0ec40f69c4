import DequeModule
import ForgeBusProtocol
import Logging
import Synchronization
import ZeroMQ

/// The client's side of the wire: requests out, answers to whoever waits for them.
///
/// Owned by the reactor thread. Every method that touches its state takes the reactor as isolation, so that the
/// compiler refuses any other thread; that is what makes `@unchecked Sendable` true.
final class ClientLoop: @unchecked Sendable {
    /// Tells one call from another that uses the same id.
    private final class Call: Sendable {}

    private struct Waiter {
        let call: Call
        var outstanding: Outstanding
        /// Whether it is in the outbox.
        var isQueued = false
        let onAnswer: (@Sendable (Answer.Content) -> Void)?
        let end: @Sendable (Result<Answer.Content, BusError>) -> Void
    }

    private let reactor: Reactor
    private let socket: Socket<Dealer>
    private let logger: Logger
    private var waiters: [RequestID: Waiter] = [:]
    /// What the socket had no room for; sent when it has.
    private var outbox: Deque<RequestID> = []
    private var isWaitingForRoom = false
    private var isWatching = false
    /// When anything came from the worker last, or the first of the outstanding requests was made.
    private var lastHeard = ContinuousClock.now
    private var lastPing = ContinuousClock.now
    private var isClosed = false
    private var buffer = FrameBuffer()
    /// How often outstanding requests are looked at.
    private static let watchInterval: Duration = .milliseconds(250)
    /// How long the worker may be silent, while requests it has taken are outstanding, before it is pinged.
    private static let pingInterval: Duration = .seconds(2)
    /// How many requests may wait for room.
    private static let outboxCapacity = 10_000

    private init(_ reactor: Reactor, _ socket: Socket<Dealer>, _ logger: Logger) {
        self.reactor = reactor
        self.socket = socket
        self.logger = logger
    }

    static func connect(
        to endpoint: Endpoint,
        as identity: CurveClient?,
        logger: Logger
    ) async throws(ZeroMQError) -> ClientLoop {
        let reactor = try Reactor(label: "forge-client")
        do throws(ZeroMQError) {
            var options = SocketOptions.dealer
            // Answers are taken at once, so the connection may be probed.
            options.heartbeats = Heartbeats()
            let socket = try await reactor.open(Dealer.self, options: options)
            let loop = ClientLoop(reactor, socket, logger)
            await loop.start(on: reactor)
            if let identity {
                try await reactor.connect(socket, to: endpoint, as: identity)
            } else {
                try await reactor.connect(socket, to: endpoint)
            }
            return loop
        } catch {
            await reactor.shutDown(flushing: .zero)
            throw error
        }
    }

    private func start(on reactor: isolated Reactor) {
        reactor.receive(socket) { [self] reactor, message in receive(message, reactor) }
    }

    /// Sends a request and waits for its last answer.
    ///
    /// - Throws: What the worker answered, or why there is no answer.
    func ask(
        _ request: Request,
        patience: Duration,
        onAnswer: (@Sendable (Answer.Content) -> Void)?
    ) async throws(BusError) -> Answer.Content {
        let call = Call()
        let result: Result<Answer.Content, BusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = reactor.submit { [self] reactor in
                    let outstanding = Outstanding(request, patience: patience, at: .now)
                    begin(
                        Waiter(call: call, outstanding: outstanding, onAnswer: onAnswer) {
                            continuation.resume(returning: $0)
                        },
                        reactor
                    )
                }
                if !isOpen { continuation.resume(returning: .failure(.closed(request.id))) }
                // A cancellation that came before found nothing to end. Submitted work keeps its order.
                if Task.isCancelled { cancel(call, request.id) }
            }
        } onCancel: {
            cancel(call, request.id)
        }
        return try result.get()
    }

    /// Ends the call, if it still waits: not another one that uses the same id.
    private func cancel(_ call: Call, _ id: RequestID) {
        reactor.submit { [self] reactor in
            if waiters[id]?.call === call { end(id, .failure(.cancelled(id))) }
        }
    }

    /// Closes the connection; nobody is left waiting.
    func close() async {
        await failAll(on: reactor)
        // Nobody waits for what is still unsent.
        await reactor.shutDown(flushing: .zero)
    }

    private func failAll(on reactor: isolated Reactor) {
        isClosed = true
        for id in Array(waiters.keys) { end(id, .failure(.closed(id))) }
    }

    private func begin(_ waiter: Waiter, _ reactor: isolated Reactor) {
        let id = waiter.outstanding.request.id
        guard !isClosed else { return waiter.end(.failure(.closed(id))) }
        guard waiters[id] == nil else { return waiter.end(.failure(.twice(id))) }
        guard outbox.count < Self.outboxCapacity else { return waiter.end(.failure(.outboxFull(id))) }
        if waiters.isEmpty { lastHeard = .now }
        waiters[id] = waiter
        send(id, reactor)
        watch(reactor)
    }

    /// Sends a request, or queues it until the socket has room.
    private func send(_ id: RequestID, _ reactor: isolated Reactor) {
        if outbox.isEmpty, transmit(id, reactor) { return }
        outbox.append(id)
        waiters[id]?.isQueued = true
        waitForRoom(reactor)
    }

    /// - Returns: Whether the request is no longer waiting for room.
    private func transmit(_ id: RequestID, _ reactor: isolated Reactor) -> Bool {
        guard let waiter = waiters[id] else { return true }
        switch reactor.send(encoded(waiter.outstanding.request), on: socket) {
        case .sent, .queued: return true
        case .full: return false
        case .unreachable:
            end(id, .failure(.closed(id)))
            return true
        }
    }

    private func encoded(_ request: Request) -> Message {
        request.encode(into: &buffer)
        var message = Message()
        message.reserveCapacity(buffer.bytes.count)
        buffer.bytes.withUnsafeBytes { bytes in
            for frame in 0..<Frames.count {
                message.append(UnsafeRawBufferPointer(rebasing: bytes[buffer.range(ofFrame: frame)]))
            }
        }
        return message
    }

    private func waitForRoom(_ reactor: isolated Reactor) {
        guard !isWaitingForRoom else { return }
        isWaitingForRoom = true
        reactor.whenWritable(socket) { [self] reactor in
            isWaitingForRoom = false
            while let id = outbox.first {
                guard transmit(id, reactor) else { return waitForRoom(reactor) }
                outbox.removeFirst()
                waiters[id]?.isQueued = false
            }
        }
    }

    private func receive(_ message: Message, _ reactor: isolated Reactor) {
        lastHeard = .now
        do throws(BusError) {
            guard message.count == Frames.count else { throw .unexpected("of five frames") }
            let frames = Frames(
                command: message[0],
                id: message[1],
                subject: message[2],
                attributes: message[3],
                body: message[4]
            )
            take(try Answer(decoding: frames))
        } catch {
            logger.warning("an answer was not understood", metadata: ["error": "\(error)"])
        }
    }

    private func take(_ answer: Answer) {
        // An answer without an id is about a message that was none; one with an unknown id came after its patience.
        guard let id = answer.id, var waiter = waiters[id] else { return }
        // An acceptance that is said again, because the request was sent again, is no news.
        let isNews = !(answer.isReplayed && waiter.outstanding.isAccepted)
        let isLast = waiter.outstanding.received(answer.content)
        waiters[id] = waiter
        guard isLast else {
            if isNews { waiter.onAnswer?(answer.content) }
            return
        }
        if case .error(let error) = answer.content {
            end(id, .failure(error))
        } else {
            end(id, .success(answer.content))
        }
    }

    private func end(_ id: RequestID, _ result: Result<Answer.Content, BusError>) {
        waiters.removeValue(forKey: id)?.end(result)
    }

    /// Looks at the outstanding requests now and then, as long as there are any.
    private func watch(_ reactor: isolated Reactor) {
        guard !isWatching else { return }
        isWatching = true
        reactor.schedule(at: .now.advanced(by: Self.watchInterval)) { [self] reactor in
            isWatching = false
            check(reactor)
            if !waiters.isEmpty { watch(reactor) }
        }
    }

    /// Asks whether the worker lives; its PONG is not waited for by anybody, but it ends the silence.
    private func ping(_ reactor: isolated Reactor, at now: ContinuousClock.Instant) {
        lastPing = now
        reactor.send(encoded(Request(.ping([]))), on: socket)
    }

    private func check(_ reactor: isolated Reactor) {
        let now = ContinuousClock.now
        let silence = now - lastHeard
        if silence >= Self.pingInterval, now - lastPing >= Self.pingInterval { ping(reactor, at: now) }
        for id in Array(waiters.keys) {
            switch waiters[id]?.outstanding.check(at: now, silence: silence) {
            case .wait, nil: break
            case .resend: if waiters[id]?.isQueued == false { send(id, reactor) }
            case .giveUp: end(id, .failure(.timeout(id)))
            }
        }
    }
}

extension BusError {
    fileprivate static func timeout(_ id: RequestID) -> BusError {
        BusError(
            .timeout,
            "No answer came in time: the outcome of \(id) is unknown.",
            next: "Check that the worker runs, and send again under the same id."
        )
    }

    fileprivate static func cancelled(_ id: RequestID) -> BusError {
        BusError(
            .closed,
            "The task that waited was cancelled: the outcome of \(id) is unknown.",
            next: "Send again under the same id to learn it."
        )
    }

    fileprivate static func closed(_ id: RequestID) -> BusError {
        BusError(
            .closed,
            "The client was closed: the outcome of \(id) is unknown.",
            next: "Send again under the same id with another client."
        )
    }

    fileprivate static func twice(_ id: RequestID) -> BusError {
        BusError(.badID, "\(id) is waiting for its answer already.", next: "Await the first call.")
    }

    fileprivate static func outboxFull(_ id: RequestID) -> BusError {
        BusError(
            .unreachable,
            "Too many requests wait for the connection; \(id) was not sent.",
            next: "Check that the worker runs, and send again later."
        )
    }
}

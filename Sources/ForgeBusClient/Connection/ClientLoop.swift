import ForgeBusProtocol
import Logging
import ZeroMQ

/// Sends the client's requests, and passes answers to the calls that wait for them.
///
/// It lives on its reactor's thread; others have it as a `Resident`.
final class ClientLoop {
    /// Whether the reactor is of this loop alone, so that it ends with the loop.
    fileprivate let ownsReactor: Bool
    /// The socket; nil while the client changes to another endpoint, and if the socket could not be opened.
    ///
    /// If the socket could not be opened, each new request tries again.
    private(set) var socket: Socket<Dealer>?
    let board: ConnectionBoard
    let settings: Settings
    let logger: Logger
    var calls: [RequestID: Call] = [:]
    var watches: [RequestID: WatchCall] = [:]
    /// The number and the bytes of the waiting requests, with the client's limits.
    var load: Load
    /// The stores that requests with an unknown outcome may have been sent to, by request id.
    var reaches = ReachBook()
    /// Decides whether requests can be sent, and in which order.
    var connection: Connection
    /// The number of sockets opened so far, which identifies the latest one.
    ///
    /// The handlers ignore events of earlier sockets.
    private var socketsOpened = 0
    /// The timer that opens the next socket after a pause; nil if no pause is in progress.
    private var opening: TimerID?
    /// Tracks how long the worker has sent nothing.
    var silence: Silence
    /// The failed handshakes that were logged since the last successful one: each endpoint and cause is logged once.
    var loggedFailures: Set<String> = []
    var callsBegun: UInt64 = 0
    var generator = SystemRandomNumberGenerator()
    private var buffer = FrameBuffer()

    /// The settings of a client.
    struct Settings: Sendable {
        let patience: Duration
        let retriesRefusals: Bool
        let resendsAfter: Duration?
        let limits: ClientLimits
        /// The endpoints of the worker; never empty.
        let endpoints: [Endpoint]
        /// The client's keys and the worker's public key; nil for a worker without keys.
        let identity: CurveClient?
    }

    /// Makes a loop on a reactor that several loops use, or else on a reactor of its own, and begins to connect.
    static func start(
        _ settings: Settings,
        _ board: ConnectionBoard,
        on shared: Reactor?,
        logger: Logger
    ) throws(ZeroMQError) -> Resident<ClientLoop> {
        let reactor = if let shared { shared } else { try Reactor(label: "forge-client") }
        let loop = Resident(ClientLoop(settings, board, ownsReactor: shared == nil, logger), on: reactor)
        // A failure does not matter here: each request tries to open the socket again, and throws the error if that
        // fails.
        loop.submit { reactor, loop in try? loop.open(on: reactor) }
        return loop
    }

    private init(_ settings: Settings, _ board: ConnectionBoard, ownsReactor: Bool, _ logger: Logger) {
        self.ownsReactor = ownsReactor
        self.board = board
        self.settings = settings
        self.logger = logger
        load = Load(limits: settings.limits)
        silence = Silence(at: .now)
        var chance = SystemRandomNumberGenerator()
        connection = Connection(endpoints: settings.endpoints.count, pauses: ReconnectPace(using: &chance).pauses)
    }

    private func socketOptions() -> SocketOptions {
        var options = SocketOptions(for: Dealer.self)
        // Heartbeats can end a healthy connection if its answers are not read; the client reads them as they come.
        options.heartbeats = Heartbeats()
        // The queue of received answers has no limit. With a limit, the queue could be full while the client's thread
        // is held up. If the connection were lost then, libzmq would end the process when it connects again; see the
        // decision "Heartbeats are off by default" of ZeroMQ.
        options.receiveHighWaterMark = 0
        // A shared reactor closes the socket of a client that ends, and must not wait for its peer.
        if !ownsReactor { options.linger = .zero }
        if connection.hasOthers {
            // These options stop libzmq from connecting again by itself. Otherwise it would send waiting messages to
            // the next worker at this endpoint before the client knows the store of that worker.
            options.linger = .zero
            options.reconnectInterval = Self.never
            options.maximumReconnectInterval = Self.never
        } else {
            ReconnectPace(using: &generator).apply(to: &options)
        }
        return options
    }

    /// About eleven days, which stands for “never”: libzmq's own value for “never” is not a duration.
    private static let never = Duration.seconds(1_000_000)

    /// The endpoint that the client tries or has reached.
    var endpoint: Endpoint { settings.endpoints[connection.place] }

    /// Opens and connects the socket, unless a socket is open or a pause before the next one is in progress.
    ///
    /// - Throws: `ZeroMQError` if the client has only one endpoint, and this endpoint cannot be used. With several
    ///   endpoints, the method does not throw: the client tries the next endpoint.
    func open(on reactor: isolated Reactor) throws(ZeroMQError) {
        guard socket == nil, opening == nil, !connection.isClosed else { return }
        board.show(.connecting(endpoint))
        socketsOpened += 1
        do throws(ZeroMQError) {
            socket = try connected(number: socketsOpened, on: reactor)
        } catch {
            guard connection.hasOthers else { throw error }
            logger.warning(
                "the client cannot use an endpoint, and tries the next one",
                metadata: ["endpoint": "\(endpoint)", "error": "\(error)"]
            )
            return moveOn(because: error.message, reactor)
        }
        guard connection.hasOthers else { return }
        reactor.schedule(at: .now.advanced(by: connection.attemptLasts)) { [self, number = socketsOpened] in
            guard number == socketsOpened, !connection.isEstablished else { return }
            moveOn(because: "No worker answered at this endpoint in time.", reactor)
        }
    }

    private func connected(number: Int, on reactor: isolated Reactor) throws(ZeroMQError) -> Socket<Dealer> {
        let socket = try reactor.open(Dealer.self, options: socketOptions())
        do throws(ZeroMQError) {
            reactor.receive(socket) { [self] message in
                if number == socketsOpened { receive(message, reactor) }
            }
            try reactor.observe(socket) { [self] event in
                if number == socketsOpened { observe(event, reactor) }
            }
            try reactor.connect(socket, to: endpoint, as: settings.identity)
            return socket
        } catch {
            reactor.close(socket)
            throw error
        }
    }

    /// Changes to the next endpoint; does nothing if the client has only one.
    func moveOn(because reason: String, _ reactor: isolated Reactor) {
        let left = endpoint
        guard let pause = connection.movesOn() else { return }
        board.show(.lost(left, reason: reason))
        interruptEverything()
        let old = exchange(&socket, with: nil)
        // The new number makes the handlers ignore the old socket from now on. The old socket is closed later, because
        // the caller may be one of its handlers.
        socketsOpened += 1
        reactor.schedule(at: .now) { if let old { reactor.close(old) } }
        opening = reactor.schedule(at: .now.advanced(by: pause)) { [self] in
            opening = nil
            // With several endpoints, `open` does not throw: after a failure it changes to the next endpoint.
            try? open(on: reactor)
        }
    }

    /// Passes a message to the socket; returns `unreachable` if no socket is open.
    func transmit(_ message: Message, _ reactor: isolated Reactor) -> SendOutcome {
        socket.map { reactor.send(message, on: $0) } ?? .unreachable
    }

    /// Ends all waiting calls and watches, and closes the connection.
    fileprivate func end(on reactor: isolated Reactor) {
        connection.close()
        board.show(.closed)
        for (id, call) in calls {
            giveUp(id, because: call.isInDoubt ? Errors.closed(id) : Errors.closedNoEffect(id), reactor)
        }
        for id in Array(watches.keys) { endWatch(id, .failure(Errors.closedWatch(id)), reactor) }
        // Its own reactor closes the socket when it shuts down.
        if !ownsReactor, let socket = exchange(&socket, with: nil) { reactor.close(socket) }
    }

    /// Encodes a request as a message.
    func encoded(_ request: Request) -> Message {
        request.encode(into: &buffer)
        return Message(buffer.bytes, frameEnds: buffer.ends)
    }
}

/// What any thread may ask of a client's loop.
extension Resident where Object == ClientLoop {
    /// Sends a request, and waits for its last answer; `news` gets the earlier answers.
    ///
    /// - Throws: The worker's refusal, or the reason why no answer came.
    func ask(
        _ request: Request,
        patience: Duration? = nil,
        news: @escaping @Sendable (Answer.Content) -> Void = { _ in }
    ) async throws(BusError) -> Answer.Content {
        let ticket = Call.Ticket(request.id)
        let result: Result<Answer.Content, BusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(request, ticket, patience, Call.Listener(news: news) { continuation.resume(returning: $0) })
                // If the task was cancelled before `begin`, `onCancel` found no call to end. The reactor runs submitted
                // work in order, so the second cancellation finds the call.
                if Task.isCancelled { cancel(ticket) }
            }
        } onCancel: {
            cancel(ticket)
        }
        return try result.get()
    }

    /// Sends a request; `listener` gets its answers.
    func begin(_ request: Request, _ ticket: Call.Ticket, _ patience: Duration?, _ listener: Call.Listener) {
        let isOpen = submit { reactor, loop in loop.begin(request, ticket, patience, listener, reactor) }
        if !isOpen { listener.end(.failure(Errors.closedNoEffect(request.id))) }
    }

    /// Ends the call with this ticket if the call still waits; does not end another call with the same request id.
    func cancel(_ ticket: Call.Ticket) {
        submit { reactor, loop in
            guard let call = loop.calls[ticket.id], call.ticket === ticket else { return }
            let error = call.isInDoubt ? Errors.cancelled(ticket.id) : Errors.cancelledNoEffect(ticket.id)
            loop.giveUp(ticket.id, because: error, reactor)
        }
    }

    /// The number of calls that wait for an answer, plus the number of open watches.
    var outstanding: Int {
        get async { await run { _, loop in loop.calls.count + loop.watches.count } }
    }

    /// Ends all waiting calls and watches, closes the connection, and ends the thread, unless others share it.
    func close() async {
        let ownsReactor = await run { reactor, loop in
            loop.end(on: reactor)
            return loop.ownsReactor
        }
        // Do not send the queued messages: no call waits for their answers any more.
        if ownsReactor { await reactor.shutDown(flushing: .zero) }
    }

    /// Records that the reader has taken `count` events, and asks the worker for more credit if necessary.
    func taken(_ count: Int, of id: RequestID) {
        submit { reactor, loop in
            if loop.watches[id]?.watch.taken(count) == true { loop.askForCredit(id, reactor) }
        }
    }

    /// Ends a watch that nobody reads any more.
    func stopWatching(_ id: RequestID) {
        submit { reactor, loop in
            guard loop.watches[id] != nil else { return }
            if loop.connection.isEstablished { _ = loop.transmit(loop.encoded(Request(.unwatch, id: id)), reactor) }
            loop.endWatch(id, .success(()), reactor)
        }
    }
}

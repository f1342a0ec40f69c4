import ForgeBusProtocol
import Logging
import ZeroMQ

/// The client's side of the protocol: sends requests, and passes answers to the calls that wait for them.
///
/// Owned by the reactor thread. Every method that touches its state takes the reactor as isolation, so that the
/// compiler refuses any other thread; that is what makes `@unchecked Sendable` true.
final class ClientLoop: @unchecked Sendable {
    let reactor: Reactor
    /// The socket; nil during the change to another endpoint, and until it could be opened: each request tries again.
    private(set) var socket: Socket<Dealer>?
    let board: ConnectionBoard
    let settings: Settings
    let logger: Logger
    var calls: [RequestID: Call] = [:]
    var watches: [RequestID: WatchCall] = [:]
    /// How much of the client's limits the waiting calls use.
    var load: Load
    /// The stores that requests with an unknown outcome may have been sent to.
    var reaches = ReachBook()
    /// Whether requests can leave, and in which order.
    var connection: Connection
    /// The number of the latest socket: the handlers ignore what earlier sockets report.
    private var socketsOpened = 0
    /// The timer that opens the next socket after a pause; nil if there is no pause.
    private var opening: TimerID?
    /// How long the worker has sent nothing.
    var silence: Silence
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

    /// Makes a loop with its own thread, and begins to connect.
    init(_ settings: Settings, _ board: ConnectionBoard, logger: Logger) throws(ZeroMQError) {
        reactor = try Reactor(label: "forge-client")
        self.board = board
        self.settings = settings
        self.logger = logger
        load = Load(limits: settings.limits)
        silence = Silence(at: .now)
        var chance = SystemRandomNumberGenerator()
        connection = Connection(endpoints: settings.endpoints.count, pauses: ReconnectPace(using: &chance).pauses)
        // A failure does not matter here: each request tries to open it again, and throws the error if it fails.
        reactor.submit { [self] reactor in try? open(on: reactor) }
    }

    private func socketOptions() -> SocketOptions {
        var options = SocketOptions.dealer
        // The client reads its answers at once, so heartbeats do not end a healthy connection.
        options.heartbeats = Heartbeats()
        if connection.hasOthers {
            // Otherwise libzmq would send waiting messages to the next worker at this endpoint before the client knows
            // its store.
            options.linger = .zero
            options.reconnectInterval = Self.never
            options.maximumReconnectInterval = Self.never
        } else {
            ReconnectPace(using: &generator).apply(to: &options)
        }
        return options
    }

    /// About eleven days; libzmq's own value for “never” is not a duration.
    private static let never = Duration.seconds(1_000_000)

    /// The endpoint that the client tries or has reached.
    var endpoint: Endpoint { settings.endpoints[connection.place] }

    /// Opens and connects the socket, unless it is open or will be opened after a pause.
    ///
    /// - Throws: `ZeroMQError` if the only endpoint cannot be used; with several endpoints, the client tries the next
    ///   one instead.
    func open(on reactor: isolated Reactor) throws(ZeroMQError) {
        guard socket == nil, opening == nil, !connection.isClosed else { return }
        board.show(.connecting(endpoint))
        socketsOpened += 1
        do throws(ZeroMQError) {
            socket = try connected(number: socketsOpened, on: reactor)
        } catch {
            guard connection.hasOthers else { throw error }
            logger.warning("an endpoint cannot be used", metadata: ["endpoint": "\(endpoint)", "error": "\(error)"])
            return moveOn(because: error.message, reactor)
        }
        guard connection.hasOthers else { return }
        reactor.schedule(at: .now.advanced(by: connection.attemptLasts)) { [self, number = socketsOpened] reactor in
            guard number == socketsOpened, !connection.isEstablished else { return }
            moveOn(because: "Nobody answered at this endpoint in time.", reactor)
        }
    }

    private func connected(number: Int, on reactor: isolated Reactor) throws(ZeroMQError) -> Socket<Dealer> {
        let socket = try reactor.open(Dealer.self, options: socketOptions())
        do throws(ZeroMQError) {
            reactor.receive(socket) { [self] reactor, message in
                if number == socketsOpened { receive(message, reactor) }
            }
            try reactor.observe(socket) { [self] reactor, event in
                if number == socketsOpened { observe(event, reactor) }
            }
            try reactor.connect(socket, to: endpoint, as: settings.identity)
            return socket
        } catch {
            reactor.close(socket)
            throw error
        }
    }

    /// Changes to the next endpoint, if there are several.
    func moveOn(because reason: String, _ reactor: isolated Reactor) {
        let left = endpoint
        guard let pause = connection.movesOn() else { return }
        board.show(.lost(left, reason: reason))
        interruptEverything()
        let old = exchange(&socket, with: nil)
        // Ignore what the old socket reports from now on. It is closed later, because one of its handlers may be the
        // caller.
        socketsOpened += 1
        reactor.schedule(at: .now) { reactor in if let old { reactor.close(old) } }
        opening = reactor.schedule(at: .now.advanced(by: pause)) { [self] reactor in
            opening = nil
            // With several endpoints this does not throw: a failure changes to the next endpoint.
            try? open(on: reactor)
        }
    }

    /// Hands a message to the socket, if there is one.
    func transmit(_ message: Message, _ reactor: isolated Reactor) -> SendOutcome {
        socket.map { reactor.send(message, on: $0) } ?? .unreachable
    }

    /// Sends a request, and waits for its last answer.
    ///
    /// - Throws: The worker's refusal, or the error that says why there is no answer.
    func ask(
        _ request: Request,
        patience: Duration? = nil,
        news: @escaping @Sendable (Answer.Content) -> Void = { _ in }
    ) async throws(BusError) -> Answer.Content {
        let ticket = Call.Ticket(request.id)
        let result: Result<Answer.Content, BusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(request, ticket, patience, Call.Listener(news: news) { continuation.resume(returning: $0) })
                // A cancellation before `begin` found no call to end. The reactor runs submitted work in order, so this
                // one finds it.
                if Task.isCancelled { cancel(ticket) }
            }
        } onCancel: {
            cancel(ticket)
        }
        return try result.get()
    }

    /// Sends a request; `listener` gets its answers.
    func begin(_ request: Request, _ ticket: Call.Ticket, _ patience: Duration?, _ listener: Call.Listener) {
        let isOpen = reactor.submit { [self] reactor in begin(request, ticket, patience, listener, reactor) }
        if !isOpen { listener.end(.failure(.closed(request.id))) }
    }

    /// Ends the call with this ticket, if it still waits; another call with the same id continues.
    func cancel(_ ticket: Call.Ticket) {
        reactor.submit { [self] reactor in
            if calls[ticket.id]?.ticket === ticket { giveUp(ticket.id, because: .cancelled(ticket.id), reactor) }
        }
    }

    /// The number of calls that wait for an answer, plus the number of open watches.
    func outstanding(on reactor: isolated Reactor) -> Int { calls.count + watches.count }

    /// Closes the connection and ends its thread; all waiting calls and watches end.
    func close() async {
        await end(on: reactor)
        // Nobody waits for answers to messages that were not sent yet.
        await reactor.shutDown(flushing: .zero)
    }

    private func end(on reactor: isolated Reactor) {
        connection.close()
        board.show(.closed)
        for id in Array(calls.keys) { giveUp(id, because: .closed(id), reactor) }
        for id in Array(watches.keys) { endWatch(id, .failure(.closed(id)), reactor) }
    }

    /// Encodes a request as a message.
    func encoded(_ request: Request) -> Message {
        request.encode(into: &buffer)
        return Message(buffer.bytes, frameEnds: buffer.ends)
    }
}

import ForgeBusProtocol
import Logging
import ZeroMQ

/// The client's side of the wire: sends requests, and hands answers to those who wait for them.
///
/// Owned by the reactor thread. Every method that touches its state takes the reactor as isolation, so that the
/// compiler refuses any other thread; that is what makes `@unchecked Sendable` true.
final class ClientLoop: @unchecked Sendable {
    let reactor: Reactor
    /// Nil until it is opened, which a request tries until it succeeds, and between two endpoints.
    private(set) var socket: Socket<Dealer>?
    let board: ConnectionBoard
    let settings: Settings
    let logger: Logger
    var calls: [RequestID: Call] = [:]
    var watches: [RequestID: WatchCall] = [:]
    /// How much the calls keep.
    var load: Load
    /// Where calls were sent whose outcome is unknown.
    var reaches = ReachBook()
    /// Whether requests can leave, and which do.
    var connection: Connection
    /// Counts the sockets: what another one than the latest tells is no news.
    private var socketsOpened = 0
    /// Opens the next socket, after a pause.
    private var opening: TimerID?
    /// How long the worker has said nothing.
    var silence: Silence
    var callsBegun: UInt64 = 0
    var generator = SystemRandomNumberGenerator()
    private var buffer = FrameBuffer()

    /// What a client was made with.
    struct Settings: Sendable {
        let patience: Duration
        let retriesRefusals: Bool
        let resendsAfter: Duration?
        let limits: ClientLimits
        /// Where the worker is; never empty.
        let endpoints: [Endpoint]
        /// Both sides' keys; nil without.
        let identity: CurveClient?
    }

    /// A loop on a thread of its own, which begins to connect.
    init(_ settings: Settings, _ board: ConnectionBoard, logger: Logger) throws(ZeroMQError) {
        reactor = try Reactor(label: "forge-client")
        self.board = board
        self.settings = settings
        self.logger = logger
        load = Load(limits: settings.limits)
        silence = Silence(at: .now)
        var chance = SystemRandomNumberGenerator()
        connection = Connection(endpoints: settings.endpoints.count, pauses: ReconnectPace(using: &chance).pauses)
        // What keeps it from connecting ends the requests that follow.
        reactor.submit { [self] reactor in try? open(on: reactor) }
    }

    private func socketOptions() -> SocketOptions {
        var options = SocketOptions.dealer
        // Answers are taken at once, so the connection may be probed.
        options.heartbeats = Heartbeats()
        if connection.hasOthers {
            // libzmq would send what it still has to the next worker there, before the client has asked for its store.
            options.linger = .zero
            options.reconnectInterval = Self.never
            options.maximumReconnectInterval = Self.never
        } else {
            ReconnectPace(using: &generator).apply(to: &options)
        }
        return options
    }

    /// Eleven days; libzmq's own "never" is no duration.
    private static let never = Duration.seconds(1_000_000)

    /// The endpoint that is tried, or was reached.
    var endpoint: Endpoint { settings.endpoints[connection.place] }

    /// Opens and connects the socket, unless it is open or is going to be opened after a pause.
    ///
    /// - Throws: `ZeroMQError`; of several endpoints the next one is tried instead.
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
            moveOn(because: "Nobody answered there.", reactor)
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

    /// Leaves the endpoint for the next one, where there are several.
    func moveOn(because reason: String, _ reactor: isolated Reactor) {
        let left = endpoint
        guard let pause = connection.movesOn() else { return }
        board.show(.lost(left, reason: reason))
        interruptEverything()
        let old = exchange(&socket, with: nil)
        // What it tells from now on is no news; it is closed when nobody is in the middle of hearing it.
        socketsOpened += 1
        reactor.schedule(at: .now) { reactor in if let old { reactor.close(old) } }
        opening = reactor.schedule(at: .now.advanced(by: pause)) { [self] reactor in
            opening = nil
            // Of several endpoints none ends a request.
            try? open(on: reactor)
        }
    }

    /// Hands a message to the connection, if there is one.
    func transmit(_ message: Message, _ reactor: isolated Reactor) -> SendOutcome {
        socket.map { reactor.send(message, on: $0) } ?? .unreachable
    }

    /// Sends a request and waits for its last answer.
    ///
    /// - Throws: What the worker answered, or why there is no answer.
    func ask(
        _ request: Request,
        patience: Duration? = nil,
        news: @escaping @Sendable (Answer.Content) -> Void = { _ in }
    ) async throws(BusError) -> Answer.Content {
        let ticket = Call.Ticket(request.id)
        let result: Result<Answer.Content, BusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(request, ticket, patience, Call.Listener(news: news) { continuation.resume(returning: $0) })
                // A cancellation that came before found nothing to end. Submitted work keeps its order.
                if Task.isCancelled { cancel(ticket) }
            }
        } onCancel: {
            cancel(ticket)
        }
        return try result.get()
    }

    /// Sends a request; its answers go to `listener`.
    func begin(_ request: Request, _ ticket: Call.Ticket, _ patience: Duration?, _ listener: Call.Listener) {
        let isOpen = reactor.submit { [self] reactor in begin(request, ticket, patience, listener, reactor) }
        if !isOpen { listener.end(.failure(.closed(request.id))) }
    }

    /// Ends the call, if it still waits: not another one that uses the same id.
    func cancel(_ ticket: Call.Ticket) {
        reactor.submit { [self] reactor in
            if calls[ticket.id]?.ticket === ticket { giveUp(ticket.id, because: .cancelled(ticket.id), reactor) }
        }
    }

    /// How many requests wait for an answer.
    func outstanding(on reactor: isolated Reactor) -> Int { calls.count + watches.count }

    /// Closes the connection; everything that waits ends.
    func close() async {
        await end(on: reactor)
        // Nobody waits for an answer to what is still unsent.
        await reactor.shutDown(flushing: .zero)
    }

    private func end(on reactor: isolated Reactor) {
        connection.close()
        board.show(.closed)
        for id in Array(calls.keys) { giveUp(id, because: .closed(id), reactor) }
        for id in Array(watches.keys) { endWatch(id, .failure(.closed(id)), reactor) }
    }

    /// The request as a message of its own.
    func encoded(_ request: Request) -> Message {
        request.encode(into: &buffer)
        return Message(buffer.bytes, frameEnds: buffer.ends)
    }
}

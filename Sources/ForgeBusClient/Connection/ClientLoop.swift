import ForgeBusProtocol
import Logging
import ZeroMQ

/// The client's side of the wire: sends requests, and hands answers to those who wait for them.
///
/// Owned by the reactor thread. Every method that touches its state takes the reactor as isolation, so that the
/// compiler refuses any other thread; that is what makes `@unchecked Sendable` true.
final class ClientLoop: @unchecked Sendable {
    let reactor: Reactor
    let socket: Socket<Dealer>
    let settings: Settings
    let logger: Logger
    var calls: [RequestID: Call] = [:]
    var watches: [RequestID: WatchCall] = [:]
    /// How much the calls keep.
    var load: Load
    /// Whether requests can leave, and which do.
    var connection = Connection()
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
        let endpoint: Endpoint
        /// Both sides' keys; nil without.
        let identity: CurveClient?
    }

    private init(_ reactor: Reactor, _ socket: Socket<Dealer>, _ settings: Settings, _ logger: Logger) {
        self.reactor = reactor
        self.socket = socket
        self.settings = settings
        self.logger = logger
        load = Load(limits: settings.limits)
        silence = Silence(patience: settings.patience, at: .now)
    }

    static func connect(_ settings: Settings, logger: Logger) async throws(ZeroMQError) -> ClientLoop {
        let reactor = try Reactor(label: "forge-client")
        do throws(ZeroMQError) {
            let socket = try await reactor.open(Dealer.self, options: socketOptions())
            let loop = ClientLoop(reactor, socket, settings, logger)
            try await loop.start(on: reactor)
            return loop
        } catch {
            await reactor.shutDown(flushing: .zero)
            throw error
        }
    }

    private static func socketOptions() -> SocketOptions {
        var options = SocketOptions.dealer
        // Answers are taken at once, so the connection may be probed.
        options.heartbeats = Heartbeats()
        var generator = SystemRandomNumberGenerator()
        ReconnectPace(using: &generator).apply(to: &options)
        return options
    }

    private func start(on reactor: isolated Reactor) throws(ZeroMQError) {
        reactor.receive(socket) { [self] reactor, message in receive(message, reactor) }
        try reactor.observe(socket) { [self] reactor, event in observe(event, reactor) }
        try connect(reactor)
    }

    /// Connects, as soon as the worker is there.
    func connect(_ reactor: isolated Reactor) throws(ZeroMQError) {
        try reactor.connect(socket, to: settings.endpoint, as: settings.identity)
    }

    /// Sends a request and waits for its last answer.
    ///
    /// - Throws: What the worker answered, or why there is no answer.
    func ask(
        _ request: Request,
        news: @escaping @Sendable (Answer.Content) -> Void = { _ in }
    ) async throws(BusError) -> Answer.Content {
        let ticket = Call.Ticket(request.id)
        let result: Result<Answer.Content, BusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(request, ticket, Call.Listener(news: news) { continuation.resume(returning: $0) })
                // A cancellation that came before found nothing to end. Submitted work keeps its order.
                if Task.isCancelled { cancel(ticket) }
            }
        } onCancel: {
            cancel(ticket)
        }
        return try result.get()
    }

    /// Sends a request; its answers go to `listener`.
    func begin(_ request: Request, _ ticket: Call.Ticket, _ listener: Call.Listener) {
        let isOpen = reactor.submit { [self] reactor in begin(request, ticket, listener, reactor) }
        if !isOpen { listener.end(.failure(.closed(request.id))) }
    }

    /// Ends the call, if it still waits: not another one that uses the same id.
    func cancel(_ ticket: Call.Ticket) {
        reactor.submit { [self] reactor in
            if calls[ticket.id]?.ticket === ticket { end(ticket.id, .failure(.cancelled(ticket.id)), reactor) }
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
        failAll(reactor) { .closed($0) }
    }

    /// Ends everything that waits, each with the error for its id.
    func failAll(_ reactor: isolated Reactor, because error: (RequestID) -> BusError) {
        for id in Array(calls.keys) { end(id, .failure(error(id)), reactor) }
        for id in Array(watches.keys) { endWatch(id, .failure(error(id)), reactor) }
    }

    /// The request as a message of its own.
    func encoded(_ request: Request) -> Message {
        request.encode(into: &buffer)
        return Message(buffer.bytes, frameEnds: buffer.ends)
    }
}

import CFloor
import ZeroMQ

/// An echo in Swift over loopback TCP; the server and the client each have a reactor.
struct SwiftEcho {
    let frames: BusFrames

    /// The keys of the server and the client; nil for connections without encryption.
    var keys: CurveKeys?

    /// The result of a run: the number of answers, the whole time, and the median time of a round trip.
    struct Run: Sendable {
        let count: Int
        let elapsed: Duration
        let median: Duration
    }

    func run(count: UInt64, window: Int) async throws -> Run {
        let server = try Reactor(label: "echo-server")
        let client = try Reactor(label: "echo-client")
        let endpoint = try await server.serveEcho(keys)
        let load = EchoLoad(frames: frames, count: Int(count), window: window)
        let run = try await client.measureEcho(endpoint, load, keys)
        await client.shutDown()
        await server.shutDown()
        return run
    }
}

/// A receiver in Swift: an async sequence that gets messages from a sender in C.
struct SwiftReceive {
    let frames: BusFrames

    /// The keys of the receiver and the sender; nil for a connection without encryption.
    var keys: CurveKeys?

    /// Whether each message is awaited by a call of its own, with a time limit.
    var oneByOne = false

    /// Receives what a task sends that waits for room for each message, instead of a thread in C.
    func runFromSwift(count: UInt64) async throws -> Duration {
        try await withReactor("receiver") { reactor in
            let router = try await reactor.open(Router.self)
            let endpoint = try await reactor.listen(router, keys)
            let messages = router.messages
            reactor.submit { $0.close(router, after: patience) }
            return try await withReactor("sender") { sender in
                let dealer = try await sender.open(Dealer.self)
                try await sender.connect(dealer, to: endpoint, keys)
                async let sent: Void = {
                    for _ in 0..<count { try await dealer.send(frames.plain, within: patience) }
                }()
                let (received, elapsed) = await receive(messages, count: count)
                try await sent
                guard received == count else {
                    throw TransportMeasureFailure(description: "Only \(received) of \(count) messages arrived.")
                }
                return elapsed
            }
        }
    }

    func run(count: UInt64) async throws -> Duration {
        let reactor = try Reactor(label: "receiver")
        let router = try await reactor.open(Router.self)
        let endpoint = try await reactor.listen(router, keys)
        let messages = router.messages
        let sender = try FloorSender(frames: frames, endpoint: endpoint.text, count: count, keys: keys)
        reactor.submit { $0.close(router, after: patience) }
        let (received, elapsed) =
            oneByOne ? await receiveOneByOne(router, count: count) : await receive(messages, count: count)
        await sender.stop()
        await reactor.shutDown()
        guard received == count else {
            throw TransportMeasureFailure(description: "Only \(received) of \(count) messages arrived.")
        }
        return elapsed
    }

    private func receiveOneByOne(_ router: Socket<Router>, count: UInt64) async -> (UInt64, Duration) {
        var start = ContinuousClock.now
        var received: UInt64 = 0
        while received < count, let message = try? await router.receive(within: patience) {
            guard message.count == 5, keys.allow(message) else { continue }
            if received == 0 { start = .now }
            received += 1
        }
        return (received, ContinuousClock.now - start)
    }

    /// Counts the messages of five frames; the time starts with the first message, so that connecting is not measured.
    private func receive(_ messages: MessageSequence, count: UInt64) async -> (UInt64, Duration) {
        var start = ContinuousClock.now
        var received: UInt64 = 0
        for await message in messages where message.count == 5 && keys.allow(message) {
            if received == 0 { start = .now }
            received += 1
            if received == count { break }
        }
        return (received, ContinuousClock.now - start)
    }
}

/// Requests by a REQ, one after the other, to a REP that returns them, each with a reactor.
struct SwiftRequests {
    let frames: BusFrames

    /// The median time of a round trip.
    func run(count: UInt64) async throws -> Duration {
        try await withReactor("rep") { server in
            let rep = try await server.open(Rep.self)
            await server.run { server in server.receive(rep) { message in server.send(message, on: rep) }
            }
            let endpoint = try await server.bind(rep, to: LocalEndpoint("tcp://127.0.0.1:*"))
            return try await withReactor("req") { client in
                let req = try await client.open(Req.self)
                try await client.connect(req, to: endpoint)
                var latencies: [UInt64] = []
                for _ in 0..<count {
                    let start = cfloor_now()
                    try await req.send(frames.plain, within: patience)
                    guard try await req.receive(within: patience).count == 5 else {
                        throw TransportMeasureFailure(description: "An answer was wrong.")
                    }
                    latencies.append(cfloor_now() - start)
                }
                return .nanoseconds(Int64(latencies.sorted()[latencies.count / 2]))
            }
        }
    }
}

/// How long a run of the echo or of the receiver may take before the measure fails; it usually takes a second.
private let patience = Duration.seconds(60)

/// The state of the echo client: the requests that it has sent, and the answers that it has received.
///
/// It lives on the thread of the client's reactor.
final class EchoLoad {
    private let frames: BusFrames
    private let count: Int
    private let window: Int
    private var sent = 0
    private var answered = 0
    private var wrong = 0
    private var isOver = false
    private var start: UInt64 = 0
    private var elapsed: UInt64 = 0
    private var sentAt: [UInt64]
    private var latencies: [UInt64]

    init(frames: BusFrames, count: Int, window: Int) {
        self.frames = frames
        self.count = count
        self.window = window
        sentAt = Array(repeating: 0, count: window)
        latencies = Array(repeating: 0, count: count)
    }

    /// Sends the first requests.
    func begin(_ reactor: isolated Reactor, _ dealer: Socket<Dealer>) {
        start = cfloor_now()
        while sent < min(window, count) { send(reactor, dealer) }
    }

    /// Counts an answer, and sends the next request if there is one.
    ///
    /// - Returns: Whether this was the last answer and ended the run; false if the run had already ended.
    func take(_ message: Message, _ reactor: isolated Reactor, _ dealer: Socket<Dealer>) -> Bool {
        if message.count != 5 || BusFrames.number(of: message) != answered { wrong += 1 }
        latencies[answered] = cfloor_now() - sentAt[answered % window]
        answered += 1
        if sent < count { send(reactor, dealer) }
        return answered == count && end()
    }

    /// Ends the run, even if answers are missing.
    ///
    /// - Returns: Whether this call ended the run; false if the run had already ended.
    func end() -> Bool {
        defer { isOver = true }
        if !isOver { elapsed = cfloor_now() - start }
        return !isOver
    }

    private func send(_ reactor: isolated Reactor, _ dealer: Socket<Dealer>) {
        sentAt[sent % window] = cfloor_now()
        if reactor.send(frames.message(number: sent), on: dealer) != .sent { wrong += 1 }
        sent += 1
    }

    func run() throws -> SwiftEcho.Run {
        guard wrong == 0, answered == count else {
            throw TransportMeasureFailure(
                description: "\(answered) of \(count) answers arrived; \(wrong) answers or sends were wrong."
            )
        }
        latencies.sort()
        return SwiftEcho.Run(
            count: count,
            elapsed: .nanoseconds(Int64(elapsed)),
            median: .nanoseconds(Int64(latencies[latencies.count / 2]))
        )
    }
}

extension SocketOptions {
    /// The options of a ROUTER that keeps any number of answers for a peer that reads slowly.
    static var keepingAll: SocketOptions {
        var options = SocketOptions(for: Router.self)
        options.sendHighWaterMark = 0
        return options
    }
}

extension Reactor {
    /// Opens a proxy before a server, with a PUB that captures; returns the endpoint of its front.
    func serveProxy(_ server: Endpoint) throws -> Endpoint {
        let (front, back, capture) = (try open(Router.self), try open(Dealer.self), try open(Pub.self))
        try bind(capture, to: LocalEndpoint("inproc://capture"))
        try connect(back, to: server)
        try proxy(front, back, capture: capture)
        return try bind(front, to: LocalEndpoint("tcp://127.0.0.1:*"))
    }

    /// Opens a proxy between publishers and subscribers, with a PUB that captures; returns both endpoints.
    func servePublications() throws -> (Endpoint, Endpoint) {
        var keeping = SocketOptions(for: XPub.self)
        (keeping.sendHighWaterMark, keeping.receiveHighWaterMark) = (0, 0)
        let (front, back) = (try open(XSub.self), try open(XPub.self, options: keeping))
        let capture = try open(Pub.self)
        try bind(capture, to: LocalEndpoint("inproc://capture"))
        try proxy(front, back, capture: capture)
        let local = try LocalEndpoint("tcp://127.0.0.1:*")
        return (try bind(front, to: local), try bind(back, to: local))
    }

    fileprivate func close(_ router: Socket<Router>, after time: Duration) {
        schedule(at: .now + time) { [self] in close(router) }
    }

    /// Opens a ROUTER that sends every message back.
    func serveEcho(_ keys: CurveKeys?) throws -> Endpoint {
        let router = try open(Router.self, options: .keepingAll)
        receive(router) { [self] message in
            guard keys.allow(message) else { return }
            reply(message, to: message, on: router)
        }
        return try listen(router, keys)
    }

    /// Sends the requests of `load` and waits for the last answer.
    func measureEcho(_ endpoint: Endpoint, _ load: sending EchoLoad, _ keys: CurveKeys?) async throws -> SwiftEcho.Run {
        // With this option, the socket is writable only when it is connected. So connecting is not measured; the client
        // in C does the same.
        var options = SocketOptions(for: Dealer.self)
        options.immediate = true
        let dealer = try open(Dealer.self, options: options)
        try connect(dealer, to: endpoint, keys)
        return try await withCheckedThrowingContinuation { continuation in
            receive(dealer) { [self] message in
                if load.take(message, self, dealer) { continuation.resume(with: Result { try load.run() }) }
            }
            schedule(at: .now + patience) {
                if load.end() { continuation.resume(with: Result { try load.run() }) }
            }
            whenWritable(dealer) { [self] in load.begin(self, dealer) }
        }
    }
}

import ForgeBusClient
import ForgeBusProtocol
import ForgeLocks
import Foundation
import Logging
import TestSupport
import ZeroMQ

/// A worker that answers as a test tells it, over a real socket.
///
/// PING is answered by itself unless the script does it, and is not among the requests.
final class ScriptedWorker: Sendable {
    /// What is answered to a request: which one it is, counted from 1, and the request.
    typealias Script = @Sendable (Int, Request) -> [Answer.Content]

    /// The requests, in the order in which they came.
    let requests = Record<Request>()
    /// The same as they travelled.
    let frames = Record<[[UInt8]]>()
    private let reactor: Reactor
    private let router: Socket<Router>
    /// The requests of clients that asked who it is, which it answers by itself where it has a store.
    let greetings = Record<RequestID>()
    private let peers = Guarded<[RequestID: PeerID]>([:])

    /// Serves at `endpoint`, with keys only those who have one of these.
    init(
        at endpoint: Endpoint,
        as keys: KeyPair? = nil,
        allowing allowed: Set<PublicKey> = [],
        answersPings: Bool = true,
        store: String? = nil,
        _ script: @escaping Script = { _, _ in [] }
    ) async throws {
        reactor = try Reactor(label: "scripted")
        var options = SocketOptions(for: Router.self)
        // It never waits for a slow client.
        options.sendHighWaterMark = 0
        options.linger = Self.flushing
        router = try await reactor.open(Router.self, options: options)
        await reactor.run { [self] reactor in listen(store: store, answersPings: answersPings, script, reactor) }
        if let keys {
            let authenticator = try await reactor.authenticate(AllowedKeys(allowed))
            try await reactor.bind(router, to: endpoint, as: CurveServer(keys: keys, authenticator: authenticator))
        } else {
            try await reactor.bind(router, to: LocalEndpoint(endpoint))
        }
    }

    private func listen(store: String?, answersPings: Bool, _ script: @escaping Script, _ reactor: isolated Reactor) {
        reactor.receive(router) { [self] message in
            guard let peer = message.peer else { return }
            guard let request = try? Request(decoding: Frames(message)) else { return }
            if case .ping(let body) = request.command {
                if answersPings { say(.pong(Pong(worker: "s", state: .ready, body: body)), request.id, peer, reactor) }
                return
            }
            if let store, request.command == .hello {
                greetings.add(request.id)
                return say(.welcome(outstanding: nil, store: store), request.id, peer, reactor)
            }
            peers.withLock { $0[request.id] = peer }
            frames.add((0..<message.count).map { Array(message[$0]) })
            requests.add(request)
            for content in script(requests.count, request) { say(content, request.id, peer, reactor) }
        }
    }

    /// Answers a request that has come.
    func answer(_ id: RequestID, _ contents: Answer.Content..., isReplayed: Bool = false) {
        reactor.submit { [self] reactor in
            guard let peer = peers.withLock({ $0[id] }) else { return }
            for content in contents { say(content, id, peer, reactor, isReplayed) }
        }
    }

    /// Dies, once what it said has left: its connections end, and its endpoint is free.
    func die() async { await reactor.shutDown(flushing: Self.flushing) }

    /// Longer than a machine that is busy with other tests takes.
    private static let flushing = Duration.seconds(60)

    private func say(
        _ content: Answer.Content,
        _ id: RequestID,
        _ peer: PeerID,
        _ reactor: isolated Reactor,
        _ isReplayed: Bool = false
    ) {
        let answer = Answer(to: id, content, isReplayed: isReplayed)
        reactor.send(Message(answer.frames.all.map { Array($0) }), on: router, to: peer)
    }
}

extension Frames {
    /// The first five frames of a message.
    fileprivate init(_ message: Message) {
        self.init(
            command: message[0],
            id: message[1],
            subject: message[2],
            attributes: message[3],
            body: message[4]
        )
    }
}

/// A place for a socket, which goes away with its last reference.
final class Place: Sendable {
    let endpoint: Endpoint
    private let directory: String

    init() throws {
        directory = FileManager.default.temporaryDirectory.path + "/forge-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        endpoint = try Endpoint("ipc://\(directory)/bus")
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }
}

/// Runs a test with a scripted worker and a client of it, and ends both whatever happens.
///
/// The client does not take silence for a reason to send again unless it is told to, however slow the machine is.
func scripted(
    patience: Duration = .seconds(300),
    retriesRefusals: Bool = true,
    resendsAfter: Duration? = nil,
    limits: ClientLimits = ClientLimits(),
    _ script: @escaping ScriptedWorker.Script = { _, _ in [] },
    _ body: (ScriptedWorker, BusClient) async throws -> Void
) async throws {
    let place = try Place()
    let worker = try await ScriptedWorker(at: place.endpoint, script)
    try await client(
        of: place,
        patience: patience,
        retriesRefusals: retriesRefusals,
        resendsAfter: resendsAfter,
        limits: limits
    ) {
        try await body(worker, $0)
    }
    await worker.die()
}

/// Runs a test with a client of whoever serves at `place`, and ends it whatever happens.
func client(
    of place: Place,
    patience: Duration = .seconds(300),
    retriesRefusals: Bool = true,
    resendsAfter: Duration? = nil,
    limits: ClientLimits = ClientLimits(),
    _ body: (BusClient) async throws -> Void
) async throws {
    let client = BusClient(
        place.endpoint,
        source: "test",
        patience: patience,
        retriesRefusals: retriesRefusals,
        resendsAfter: resendsAfter,
        limits: limits,
        logger: .silent
    )
    do { try await body(client) } catch {
        await client.close()
        throw error
    }
    await client.close()
}

/// The code of the error that this ends with; nil if it ends well.
func code(_ body: () async throws -> Void) async throws -> ErrorCode? {
    do {
        try await body()
        return nil
    } catch let error as BusError {
        return error.code
    }
}

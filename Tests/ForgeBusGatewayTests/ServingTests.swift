import ForgeBusProtocol
import ForgeLocks
import Foundation
import HTTPTypes
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@testable import ForgeBusGateway

@Suite("A gateway that serves")
struct ServingTests {
    @Test("closes a connection whose header does not arrive")
    func slowHeader() async throws {
        try await serving {
            $0.idleTime = .milliseconds(50)
        } _: { port in
            let connection = try Connection(to: port)
            connection.send("GET /v1/runs HTTP/1.1\r\nHost: local")
            #expect(await connection.rest().isEmpty)
        }
    }

    @Test("closes a connection that is idle between two requests")
    func idle() async throws {
        try await serving {
            $0.idleTime = .milliseconds(50)
        } _: { port in
            let connection = try Connection(to: port)
            connection.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let rest = await connection.rest()
            #expect(rest.hasPrefix("HTTP/1.1 200 OK\r\n") && rest.hasSuffix(#"{"status":"ok"}"#))
        }
    }

    @Test("answers 408 to a body that does not arrive")
    func slowBody() async throws {
        try await serving {
            $0.bodyTime = .milliseconds(50)
        } _: { port in
            let connection = try Connection(to: port)
            connection.send("POST /v1/topics/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{")
            let rest = await connection.rest()
            #expect(rest.hasPrefix("HTTP/1.1 408 ") && rest.contains(#""code":"slow_body""#), "\(rest)")
        }
    }

    @Test("sends comments while nothing happens, and ends its streams when it stops")
    func stream() async throws {
        let bus = SilentBus()
        try await serving(bus) {
            $0.keepAlive = .milliseconds(5)
        } _: { port in
            let connection = try Connection(to: port)
            connection.send(
                "GET /v1/runs/r HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nConnection: close\r\n\r\n"
            )
            var received = ""
            while received.components(separatedBy: ":\n\n").count < 4 { received += await connection.next() ?? "END" }
            #expect(received.contains("event: run\ndata: {\"run\":\"r\"}\n\n"))
            return connection
        } _: { connection in
            // The service group has stopped the gateway meanwhile: the stream ended as it should.
            #expect(await connection.rest().hasSuffix("0\r\n\r\n"))
        }
        #expect(bus.abandoned.withLock { $0 } == 1, "nobody follows the run any more")
    }

    @Test("gives up a request whose sender waits no longer than it stops")
    func wait() async throws {
        try await serving(SilentBus()) { _ in
        } _: { port in
            let connection = try Connection(to: port)
            connection.send(
                "POST /v1/pipelines/p/runs HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=300\r\nContent-Length: 0\r\n\r\n"
            )
            return connection
        } _: { connection in
            let rest = await connection.rest()
            // Either it stopped before the request came, or the run is accepted and its sender is told where it is.
            #expect(rest.isEmpty || rest.hasPrefix("HTTP/1.1 202 Accepted\r\n"), "\(rest)")
        }
    }

    @Test("gives up what follows a run as soon as its reader leaves")
    func reader() async throws {
        let bus = SilentBus()
        try await serving(bus) {
            $0.keepAlive = .seconds(3600)
        } _: { port in
            for accept in ["text/event-stream", "application/json"] {
                var connection: Connection? = try Connection(to: port)
                connection?.send(
                    "GET /v1/runs/r HTTP/1.1\r\nHost: localhost\r\nAccept: \(accept)\r\nPrefer: wait=300\r\n\r\n"
                )
                await bus.followed.next()
                connection = nil
                await bus.givenUp.next()
            }
        }
    }

    @Test("ends what a sender waits for when its token ends", arguments: ["text/event-stream", "application/json"])
    func revoked(accept: String) async throws {
        let bus = SilentBus()
        let token = AccessToken.random()
        try await serving(bus) {
            $0.tokens = [AccessToken(principal: nil, hash: AccessToken.hash(of: token))]
            $0.keepAlive = .seconds(3600)
        } with: { gateway, port in
            let connection = try Connection(to: port)
            connection.send(
                "GET /v1/runs/r HTTP/1.1\r\nHost: localhost\r\nAccept: \(accept)\r\nPrefer: wait=300\r\n"
                    + "Authorization: Bearer \(token)\r\nConnection: close\r\n\r\n"
            )
            await bus.followed.next()
            // Another token changes nothing.
            let all = [token, AccessToken.random()].map { AccessToken(principal: nil, hash: AccessToken.hash(of: $0)) }
            gateway.replaceTokens(all)
            gateway.replaceTokens([all[1]])
            await bus.givenUp.next()
            let rest = await connection.text(until: accept.contains("json") ? "}" : "0\r\n\r\n")
            #expect(rest.hasPrefix(accept.contains("json") ? "HTTP/1.1 401 " : "HTTP/1.1 200 "), "\(rest)")
        }
    }

    @Test("answers a body with a malformed chunk with 400")
    func chunks() async throws {
        try await serving { _ in
        } _: { port in
            let connection = try Connection(to: port)
            connection.send(
                "POST /v1/topics/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"
            )
            let rest = await connection.rest()
            #expect(rest.hasPrefix("HTTP/1.1 400 ") && rest.contains(#""code":"bad_body""#), "\(rest)")
        }
    }

    @Test("closes a connection soon after an answer that came before the whole request")
    func early() async throws {
        try await serving {
            $0.tokens = []
            ($0.idleTime, $0.bodyTime) = (.seconds(3600), .seconds(3600))
        } _: { port in
            let connection = try Connection(to: port)
            connection.send("POST /v1/topics/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
            let answer = await connection.text(until: "}")
            #expect(answer.hasPrefix("HTTP/1.1 401 ") && answer.lowercased().contains("\r\nconnection: close\r\n"))
            connection.send("x")
            #expect(await connection.rest().isEmpty)
        }
    }

    @Test("does not wait for a body when it stops")
    func stalled() async throws {
        try await serving {
            ($0.idleTime, $0.bodyTime, $0.drainTime) = (.seconds(3600), .seconds(3600), .seconds(3600))
        } _: { port in
            let connection = try Connection(to: port)
            connection.send("POST /v1/topics/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
            // The first request has arrived when a later one on another connection is answered.
            let other = try Connection(to: port)
            other.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = await other.text(until: "}")
            return connection
        } _: { connection in
            let rest = await connection.rest()
            #expect(rest.isEmpty || rest.contains(#""code":"draining""#), "\(rest)")
        }
    }

    @Test(
        "compares the host in a target with the header",
        arguments: [
            ("/v1/runs/r", 200), ("http://localhost/v1/runs/r", 200), ("HTTP://LOCALHOST/v1/runs/r?", 200),
            ("http://evil.example/v1/runs/r", 421), ("http://localhost:80/v1/runs/r", 421),
            ("http://localhost@evil.example/v1/runs/r", 421),
        ]
    )
    func target(target: String, status: Int) async throws {
        try await serving { _ in
        } _: { port in
            let connection = try Connection(to: port)
            connection.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(await connection.text(until: "}").hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test("answers probes and other addresses while one address holds all that it may have")
    func flood() async throws {
        let log = Lines()
        try await serving(SilentBus(), log) {
            ($0.connections, $0.connectionsPerAddress) = (40, 8)
        } with: { _, port in
            var silent: [Connection] = []
            for index in 0..<60 {
                let connection = try Connection(to: port)
                connection.send(
                    ["", "G", "POST /v1/topics/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"][index % 3]
                )
                silent.append(connection)
                guard index.isMultiple(of: 10) else { continue }
                for address in [UInt32(0x7F00_0001), 0x7F00_0002] {
                    let probe = try Connection(to: port, from: address)
                    probe.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    #expect(await probe.text(until: "}").hasPrefix("HTTP/1.1 200 "))
                }
            }
            // The first ones have given way.
            #expect(await silent[0].rest().isEmpty)
            #expect(log.count(.warning) == 1, "\(log)")
        }
    }

    @Test("answers only probes where every connection is in use")
    func reserve() async throws {
        let bus = SilentBus()
        try await serving(bus) {
            $0.connections = 3
        } _: { port in
            var streams: [Connection] = []
            for _ in 0..<2 {
                let stream = try Connection(to: port)
                stream.send("GET /v1/runs/r HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
                await bus.followed.next()
                streams.append(stream)
            }
            for (path, status) in [("/livez", 200), ("/readyz", 200), ("/v1/runs/r", 429), ("/livez", 200)] {
                let connection = try Connection(to: port)
                connection.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(await connection.rest().hasPrefix("HTTP/1.1 \(status) "))
            }
            #expect(streams.count == 2)
        }
    }

    @Test("waits no longer than it was asked to, whatever the worker does", .timeLimit(.minutes(1)))
    func limit() async throws {
        let api = API(bus: SilentBus(), keepAlive: .seconds(15), margin: .zero)
        func status(_ method: HTTPRequest.Method, _ path: String) async -> Int {
            let path = path.split(separator: "/").map(String.init)
            return await api.respond(to: .made(method: method, path: path, fields: [.prefer: "wait=1"])).status.code
        }
        #expect(await status(.post, "v1/pipelines/p/runs") == 202)
        #expect(await status(.get, "v1/runs/r") == 200)
        #expect(await status(.post, "v1/topics/t") == 504)
    }

    @Test("refuses the end of a run to somebody who may not read it any more")
    func forbidden() async throws {
        let lost = BusError(.forbidden, "?", next: "?")
        let api = API(bus: SilentBus(attached: .error(lost)), keepAlive: .seconds(15))
        func status(_ method: HTTPRequest.Method, _ path: String) async -> Int {
            let path = path.split(separator: "/").map(String.init)
            return await api.respond(to: .made(method: method, path: path, fields: [.prefer: "wait=300"])).status.code
        }
        // The run is accepted, whoever may read it.
        #expect(await status(.post, "v1/pipelines/p/runs") == 202)
        #expect(await status(.get, "v1/runs/r") == 403)
    }

    @Test("lets requests with one id go one after another")
    func turns() async throws {
        let turns = Turns()
        let id = try RequestID("a")
        let other = try RequestID("b")
        let (order, continuation) = AsyncStream<Int>.makeStream()
        #expect(await turns.take(id))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    _ = await turns.take(id)
                    continuation.yield(number)
                    turns.release(id)
                }
            }
            // Another id does not wait.
            _ = await turns.take(other)
            continuation.yield(-1)
            turns.release(id)
            await group.waitForAll()
        }
        continuation.finish()
        var numbers: [Int] = []
        for await number in order { numbers.append(number) }
        #expect(numbers.first == -1 && numbers.sorted() == [-1, 0, 1, 2, 3, 4])
        #expect(await turns.take(id))
        // A task that is cancelled waits no longer, and takes nobody's turn.
        let cancelled = Task { await turns.take(id) }
        cancelled.cancel()
        #expect(await cancelled.value == false)
        turns.release(id)
        #expect(await turns.take(id))
    }

    @Test("keeps the ids of its users apart")
    func owners() throws {
        var owners = RequestOwners()
        func admits(_ id: String, for principal: Name) throws -> Bool {
            owners.admits(Request(.hello, id: try RequestID(id), as: principal))
        }
        #expect(try admits("nightly", for: "ada") == true)
        #expect(try admits("nightly", for: "ada") == true)
        #expect(try admits("nightly", for: "ben") == false)
        for number in 0..<70_000 { _ = try admits("\(number)", for: "ada") }
        #expect(try admits("nightly", for: "ben"), "what is long ago is forgotten")
    }

    @Test("ends although somebody does not read a stream")
    func unread() async throws {
        // More than the system keeps for a reader that does not read: what follows in the stream has to wait.
        let size = 16_000_000
        let bus = SilentBus(run: ["text": .string(String(repeating: "x", count: size))])
        try await serving(bus) {
            $0.drainTime = .milliseconds(50)
            $0.keepAlive = .milliseconds(1)
        } _: { port in
            let connection = try Connection(to: port)
            connection.send("GET /v1/runs/r HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
            // The run comes after the head, in parts: the stream has begun to send it.
            for _ in 0..<3 { #expect(await connection.next() != nil) }
            return connection
        } _: { connection in
            #expect(await connection.rest().utf8.count < size)
        }
    }

    @Test("ends when it is cancelled, whatever connections come in just then", .timeLimit(.minutes(5)))
    func cancelled() async throws {
        for _ in 0..<40 {
            var configuration = GatewayConfiguration()
            configuration.port = 0
            let gateway = Gateway(SilentBus(), configuration: configuration, logger: .silent)
            let serving = Task { try await gateway.run() }
            let port = try #require(await gateway.port)
            let (ended, callers) = AsyncStream<Void>.makeStream()
            let isOver = Guarded(false)
            await withCheckedContinuation { connected in
                Thread.detachNewThread {
                    var connection = try? Connection(to: port)
                    connected.resume()
                    while connection != nil, !isOver.withLock({ $0 }) { connection = try? Connection(to: port) }
                    callers.finish()
                }
            }
            serving.cancel()
            _ = await serving.result
            isOver.withLock { $0 = true }
            for await _ in ended {}
        }
    }

    @Test("says why it cannot listen")
    func taken() async throws {
        try await serving { _ in
        } _: { port in
            var configuration = GatewayConfiguration()
            configuration.port = port
            let second = Gateway(SilentBus(), configuration: configuration, logger: .silent)
            let error = await #expect(throws: GatewayError.self) { try await second.run() }
            #expect(error?.message.contains("127.0.0.1:\(port)") == true)
            #expect(await second.port == nil)
        }
        var configuration = GatewayConfiguration()
        configuration.host = "nowhere.invalid"
        let lost = Gateway(SilentBus(), configuration: configuration, logger: .silent)
        let error = await #expect(throws: GatewayError.self) { try await lost.run() }
        #expect(error == Errors.cannotLookUp(configuration))
    }
}

/// Serves while the first closure runs, then stops as a service group does, and then runs the second.
private func serving<Result: Sendable>(
    _ bus: SilentBus = SilentBus(),
    _ configure: (inout GatewayConfiguration) -> Void,
    _ body: @escaping @Sendable (Int) async throws -> Result,
    _ afterwards: (Result) async throws -> Void = { (_: Result) in }
) async throws {
    try await serving(bus, nil, configure, with: { try await body($1) }, afterwards)
}

private func serving<Result: Sendable>(
    _ bus: SilentBus,
    _ log: Lines? = nil,
    _ configure: (inout GatewayConfiguration) -> Void,
    with body: @Sendable (Gateway, Int) async throws -> Result,
    _ afterwards: (Result) async throws -> Void = { (_: Result) in }
) async throws {
    var configuration = GatewayConfiguration()
    configuration.port = 0
    configure(&configuration)
    let logger = log.map { log in Logger(label: "tests") { _ in log } } ?? .silent
    let gateway = Gateway(bus, configuration: configuration, logger: logger)
    let group = ServiceGroup(services: [gateway], logger: .silent)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        let port = try #require(await gateway.port)
        let result = try await body(gateway, port)
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        try await afterwards(result)
    }
}

/// Counts the lines of a log by their levels.
private final class Lines: LogHandler, CustomStringConvertible {
    private let lines = Guarded<[(level: Logger.Level, text: String)]>([])
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .info }
        set {}
    }
    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) { lines.withLock { $0.append((event.level, "\(event.message)")) } }

    func count(_ level: Logger.Level) -> Int { lines.withLock { $0.count { $0.level == level } } }

    var description: String { lines.withLock { $0.map(\.text).joined(separator: "\n") } }
}

/// Something that happens again and again, and that a test waits for.
private final class Happening: Sendable {
    private let (times, continuation) = AsyncStream<Void>.makeStream()

    func happen() { continuation.yield() }

    func next() async { for await _ in times { return } }
}

/// A worker that accepts and shows everything, and never says that anything ends.
private final class SilentBus: GatewayBus {
    /// A run is followed.
    let followed = Happening()
    /// Somebody stops waiting for the end of a run.
    let givenUp = Happening()
    /// How many requests were given up.
    let abandoned = Guarded(0)
    private let run: JSONObject
    /// The answer to those who follow a run; nil for none.
    private let attached: Answer.Content?

    /// Makes a worker with one run.
    init(run: JSONObject = ["run": "r"], attached: Answer.Content? = nil) {
        (self.run, self.attached) = (run, attached)
    }

    func answers(to request: Request) async -> AsyncStream<Answer.Content> {
        let (answers, continuation) = AsyncStream<Answer.Content>.makeStream()
        switch request.command {
        case .attach where attached == nil, .notify:
            continuation.onTermination = { [self] reason in
                guard case .cancelled = reason else { return }
                abandoned.withLock { $0 += 1 }
                givenUp.happen()
            }
            followed.happen()
            return answers
        case .attach: if let attached { continuation.yield(attached) }
        case .run: continuation.yield(.accepted(.run(RunID(stringLiteral: "r"), durability: .memory, retention: .zero)))
        case .show: continuation.yield(.shown(run))
        default: continuation.yield(.pong(Pong(worker: "w", state: .ready)))
        }
        continuation.finish()
        return answers
    }
}

/// A connection that sends and receives bytes as they are.
private final class Connection: Sendable {
    private let socket: Int32

    /// Connects to a port of this machine, from one of its loopback addresses.
    init(to port: Int, from source: UInt32 = 0x7F00_0001) throws {
        #if canImport(Glibc)
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        var own = address
        own.sin_port = 0
        own.sin_addr.s_addr = source.bigEndian
        _ = withUnsafePointer(to: &own) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
        }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        guard result == 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
    }

    deinit { close(socket) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        // The other side may have closed.
        _ = bytes.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// What comes next; nil at the end of the connection.
    func next() async -> String? {
        let socket = socket
        return await withCheckedContinuation { continuation in
            // A blocking read, which must not hold up a thread of the tasks.
            Thread.detachNewThread {
                var bytes = [UInt8](repeating: 0, count: 65_536)
                let count = read(socket, &bytes, bytes.count)
                continuation.resume(returning: count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil)
            }
        }
    }

    /// What comes until a text has come, or the other side closes.
    func text(until end: String) async -> String {
        var text = ""
        while !text.contains(end), let next = await next() { text += next }
        return text
    }

    /// Everything that comes until the other side closes.
    func rest() async -> String {
        var rest = ""
        while let text = await next() { rest += text }
        return rest
    }
}

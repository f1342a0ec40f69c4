import ForgeBusProtocol
import ForgeLocks
import Foundation
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

    @Test("lets requests with one id go one after another")
    func turns() async throws {
        let turns = Turns()
        let id = try RequestID("a")
        let other = try RequestID("b")
        let (order, continuation) = AsyncStream<Int>.makeStream()
        await turns.take(id)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    await turns.take(id)
                    continuation.yield(number)
                    turns.release(id)
                }
            }
            // Another id does not wait.
            await turns.take(other)
            continuation.yield(-1)
            turns.release(id)
            await group.waitForAll()
        }
        continuation.finish()
        var numbers: [Int] = []
        for await number in order { numbers.append(number) }
        #expect(numbers.first == -1 && numbers.sorted() == [-1, 0, 1, 2, 3, 4])
        await turns.take(id)
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
            #expect(error?.message.hasPrefix("The gateway cannot listen at 127.0.0.1:\(port): ") == true)
            #expect(await second.port == nil)
        }
        var configuration = GatewayConfiguration()
        configuration.host = "nowhere.invalid"
        let lost = Gateway(SilentBus(), configuration: configuration, logger: .silent)
        let error = await #expect(throws: GatewayError.self) { try await lost.run() }
        #expect(error?.message.contains("no address is known for this host name") == true)
    }
}

/// Serves while the first closure runs, then stops as a service group does, and then runs the second.
private func serving<Result: Sendable>(
    _ bus: SilentBus = SilentBus(),
    _ configure: (inout GatewayConfiguration) -> Void,
    _ body: @Sendable (Int) async throws -> Result,
    _ afterwards: (Result) async throws -> Void = { (_: Result) in }
) async throws {
    var configuration = GatewayConfiguration()
    configuration.port = 0
    configure(&configuration)
    let gateway = Gateway(bus, configuration: configuration, logger: .silent)
    let group = ServiceGroup(services: [gateway], logger: .silent)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        let port = try #require(await gateway.port)
        let result = try await body(port)
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        try await afterwards(result)
    }
}

/// A worker that accepts and shows everything, and never says that anything ends.
private final class SilentBus: GatewayBus {
    /// How many requests were given up.
    let abandoned = Guarded(0)
    private let run: JSONObject

    /// Makes a worker with one run.
    init(run: JSONObject = ["run": "r"]) { self.run = run }

    func answers(to request: Request) async -> AsyncStream<Answer.Content> {
        let (answers, continuation) = AsyncStream<Answer.Content>.makeStream()
        switch request.command {
        case .attach:
            continuation.onTermination = { [self] reason in
                if case .cancelled = reason { abandoned.withLock { $0 += 1 } }
            }
            return answers
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

    init(to port: Int) throws {
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
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
        }
        guard result == 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
    }

    deinit { close(socket) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(socket, bytes, bytes.count) == bytes.count)
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

    /// Everything that comes until the other side closes.
    func rest() async -> String {
        var rest = ""
        while let text = await next() { rest += text }
        return rest
    }
}

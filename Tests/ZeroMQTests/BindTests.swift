import Foundation
import TestSupport
import Testing
import ZeroMQ

@Suite("Binding and connecting", .timeLimit(.minutes(30)))
struct BindTests {
    @Test("tells the real port")
    func resolvedPort() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let endpoint = try await reactor.bind(router, to: try LocalEndpoint("tcp://127.0.0.1:*"))
            #expect(!endpoint.isWildcard)
            #expect(endpoint.text.hasPrefix("tcp://127.0.0.1:"))
        }
    }

    @Test("takes IPv6 literals without being told")
    func ipv6() async throws {
        try await withReactor { reactor in
            let endpoint = try await reactor.startEcho(on: try Endpoint("tcp://[::1]:*"))
            #expect(endpoint.isLoopback)
            let echo = EchoClient(count: 10, window: 1)
            try await reactor.run(echo, against: endpoint)
            #expect(echo.mistakes == 0)
        }
    }

    @Test("an endpoint in use is an error that names it and the next move", arguments: Transport.allCases)
    func addressInUse(_ transport: Transport) async throws {
        let directory = try TemporaryDirectory()
        try await withReactor("first") { first in
            let endpoint = try await first.startEcho(on: try transport.endpoint(in: directory))
            try await withReactor("second") { second in
                let router = try await second.open(Router.self)
                let error = await #expect(throws: ZeroMQError.self) {
                    try await second.bind(router, to: LocalEndpoint(endpoint))
                }
                #expect(error?.code == .addressInUse)
                #expect(error?.message.contains(endpoint.text) == true)
                // The one who has it is not disturbed.
                let echo = EchoClient(count: 100, window: 4)
                try await second.run(echo, against: endpoint)
                #expect(echo.mistakes == 0)
            }
        }
    }

    @Test("a socket file that was left behind is replaced, any other file is kept")
    func leftBehind() async throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint("ipc://\(directory.path)/socket")
        try leaveSocketFile(at: "\(directory.path)/socket")
        let notes = "\(directory.path)/notes"
        try Data("kept".utf8).write(to: URL(fileURLWithPath: notes))
        try await withReactor { reactor in
            #expect(try await reactor.startEcho(on: endpoint) == endpoint)
            let router = try await reactor.open(Router.self)
            let error = await #expect(throws: ZeroMQError.self) {
                try await reactor.bind(router, to: try LocalEndpoint("ipc://\(notes)"))
            }
            #expect(error?.code == .addressInUse)
        }
        #expect(try String(contentsOfFile: notes, encoding: .utf8) == "kept")
    }

    @Test(
        "what the machine has not is an error with its own code",
        arguments: [
            ("tcp://192.0.2.1:5555", ZeroMQError.Code.addressNotAvailable),
            ("tcp://no-such-interface0:5555", .addressNotAvailable),
            ("ipc:///no/such/directory/socket", .notFound),
        ]
    )
    func unavailable(_ text: String, code: ZeroMQError.Code) async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let server = CurveServer(keys: KeyPair(), authenticator: try await reactor.authenticate(AllowedKeys()))
            let error = await #expect(throws: ZeroMQError.self) {
                try await reactor.bind(router, to: try Endpoint(text), as: server)
            }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(error?.message.contains(text) == true)
        }
    }

    @Test("an error names the file that is in the place of a directory")
    func fileInPlaceOfDirectory() async throws {
        let directory = try TemporaryDirectory()
        let file = "\(directory.path)/deploys"
        try Data().write(to: URL(fileURLWithPath: file))
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let error = await #expect(throws: ZeroMQError.self) {
                try await reactor.bind(router, to: try LocalEndpoint("ipc://\(file)/inner/worker.ipc"))
            }
            #expect(error?.code == .notFound)
            #expect(error?.message.contains(": \(file) ") == true, "\(String(describing: error))")
        }
    }

    @Test("a wildcard cannot be connected to, and what is not bound cannot be unbound")
    func misuse() async throws {
        try await withReactor { reactor in
            let dealer = try await reactor.open(Dealer.self)
            let wildcard = await #expect(throws: ZeroMQError.self) {
                try await reactor.connect(dealer, to: try Endpoint("tcp://127.0.0.1:*"))
            }
            #expect(wildcard?.code == .invalidEndpoint)
            let nowhere = try Endpoint("tcp://127.0.0.1:5")
            let unbound = await #expect(throws: ZeroMQError.self) { try await reactor.unbind(dealer, from: nowhere) }
            #expect(unbound?.code == .notFound)
            let left = await #expect(throws: ZeroMQError.self) { try await reactor.disconnect(dealer, from: nowhere) }
            #expect(left?.code == .notFound)
        }
    }

    @Test("200 sockets, one after the other, serve on one port", arguments: Transport.allCases)
    func onePortManyTimes(_ transport: Transport) async throws {
        let directory = try TemporaryDirectory()
        try await withReactor { reactor in
            let endpoint = try await lastingEndpoint(transport, in: directory, on: reactor)
            for cycle in 0..<200 {
                let router = try await reactor.open(Router.self)
                try await bindPatiently(router, to: endpoint, on: reactor)
                await reactor.echo(router)
                let echo = EchoClient(count: 1, window: 1, offset: cycle)
                try await reactor.run(echo, against: endpoint)
                #expect(echo.mistakes == 0)
                await reactor.close(router)
            }
        }
    }

    @Test("an endpoint that was unbound is free, and its socket can bind again")
    func unbound() async throws {
        try await withReactor { reactor in
            let router = try await reactor.open(Router.self)
            let other = try await reactor.open(Router.self)
            let endpoint = try await lastingEndpoint(.tcp, in: try TemporaryDirectory(), on: reactor)
            try await bindPatiently(router, to: endpoint, on: reactor)
            try await reactor.unbind(router, from: endpoint)
            try await bindPatiently(other, to: endpoint, on: reactor)
            await reactor.close(other)
            try await bindPatiently(router, to: endpoint, on: reactor)
        }
    }

    @Test("a bad option is an error that names it")
    func badOption() async throws {
        try await withReactor { reactor in
            var options = SocketOptions(for: Dealer.self)
            options.linger = .seconds(-1)
            let linger = await #expect(throws: ZeroMQError.self) {
                try await reactor.open(Dealer.self, options: options)
            }
            #expect(linger?.code == .invalidOption)
            #expect(linger?.message.contains("linger") == true)
            options = SocketOptions(for: Dealer.self)
            options.maximumMessageSize = 0
            let size = await #expect(throws: ZeroMQError.self) { try await reactor.open(Dealer.self, options: options) }
            #expect(size?.message.contains("maximumMessageSize") == true)
        }
        var options = ReactorOptions()
        options.ioThreads = 0
        #expect(throws: ZeroMQError.self) { try Reactor(label: "bad", options: options) }
    }

    /// A program that died leaves a file that refuses connections.
    private func leaveSocketFile(at path: String) throws {
        let descriptor = try #require(UnixListener(path: path))
        descriptor.closeWithoutRemoving()
        #expect(FileManager.default.fileExists(atPath: path))
    }
}

/// An endpoint that stays free between two binds.
///
/// A port that a wildcard was given lies where the system takes the ports of outgoing connections from, so that another
/// test may have it as soon as it is free; this one lies below.
private func lastingEndpoint(
    _ transport: Transport,
    in directory: TemporaryDirectory,
    on reactor: Reactor
) async throws -> Endpoint {
    guard transport == .tcp else { return try transport.endpoint(in: directory) }
    var candidate = try Endpoint("tcp://127.0.0.1:15000")
    for port in (15_000..<32_000).shuffled() {
        candidate = try Endpoint("tcp://127.0.0.1:\(port)")
        let router = try await reactor.open(Router.self)
        let isFree = await isFree(candidate, router, on: reactor)
        await reactor.close(router)
        if isFree { break }
    }
    return candidate
}

/// Binds as soon as the old listener is gone everywhere: a process that some test has just started holds a copy of it
/// from its fork until it runs its program.
private func bindPatiently(_ router: Socket<Router>, to endpoint: Endpoint, on reactor: Reactor) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
        do throws(ZeroMQError) {
            _ = try await reactor.bind(router, to: LocalEndpoint(endpoint))
            return
        } catch {
            guard error.code == .addressInUse else { throw error }
        }
        await Task.yield()
    }
    Issue.record("\(endpoint) does not become free")
}

private func isFree(_ endpoint: Endpoint, _ router: Socket<Router>, on reactor: Reactor) async -> Bool {
    do {
        _ = try await reactor.bind(router, to: LocalEndpoint(endpoint))
        return true
    } catch {
        return false
    }
}

import Foundation
import TestSupport
import Testing
import ZeroMQ

@Suite("Shutting a reactor down", .timeLimit(.minutes(30)))
struct ShutdownTests {
    @Test("ends in time with unsent messages for a peer that is not there")
    func deadPeer() async throws {
        let reactor = try Reactor(label: "unsent")
        var options = SocketOptions(for: Dealer.self)
        options.linger = .seconds(3600)
        let dealer = try await reactor.dial(try Endpoint("ipc:///tmp/zeromq-tests-nobody"), options: options)
        for number in 0..<100 { #expect(await reactor.send(Message(number: number), on: dealer) == .sent) }
        await reactor.shutDown(flushing: .milliseconds(50))
        #expect(await reactor.send(Message(number: 0), on: dealer) == .unreachable)
    }

    @Test("ends in time with unsent messages for a peer that accepts and says nothing")
    func silentPeer() async throws {
        let listener = try #require(SilentListener())
        let reactor = try Reactor(label: "silent")
        let dealer = try await reactor.dial(try Endpoint("tcp://127.0.0.1:\(listener.port)"))
        #expect(await reactor.send(Message(number: 1), on: dealer) == .sent)
        await reactor.shutDown(flushing: .milliseconds(50))
    }

    @Test("delivers what was sent, given time")
    func flushes() async throws {
        try await withReactor("server") { server in
            let router = try await server.open(Router.self)
            let endpoint = try await server.bind(router, to: try LocalEndpoint("tcp://127.0.0.1:*"))
            let received = Record<Int>()
            await server.receive(router) { message in received.add(message.number) }
            let client = try Reactor(label: "client")
            var options = SocketOptions(for: Dealer.self)
            options.linger = .seconds(30)
            let dealer = try await client.dial(endpoint, options: options)
            await client.writable(dealer)
            for number in 0..<200 { #expect(await client.send(Message(number: number), on: dealer) == .sent) }
            await client.shutDown(flushing: .seconds(30))
            #expect(await received.reach(200) == Array(0..<200))
        }
    }

    @Test("runs what was submitted before, refuses what comes after")
    func submitted() async throws {
        let reactor = try Reactor(label: "submitted")
        let done = Milestone()
        for _ in 0..<1000 { #expect(reactor.submit { _ in done.advance() }) }
        await reactor.shutDown()
        #expect(done.count == 1000)
        #expect(!reactor.submit { _ in done.advance() })
        #expect(done.count == 1000)
    }

    @Test("may be asked for many times at once, and again afterwards")
    func manyCallers() async throws {
        let reactor = try Reactor(label: "many")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { await reactor.shutDown() } }
        }
        await reactor.shutDown()
    }

    @Test("may be asked for by a task on the reactor")
    func fromWithin() async throws {
        let reactor = try Reactor(label: "within")
        await reactor.shutDownFromWithin()
        let error = await #expect(throws: ZeroMQError.self) { try await reactor.open(Router.self) }
        #expect(error?.code == .closed)
    }

    @Test("lets no caller hang: each call returns or throws, whenever it comes")
    func callsDuringTheEnd() async throws {
        for _ in 0..<50 {
            let reactor = try Reactor(label: "racing")
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<20 {
                            guard let router = try? await reactor.open(Router.self) else { return }
                            await reactor.close(router)
                        }
                    }
                }
                group.addTask { await reactor.shutDown() }
            }
        }
    }

    @Test("leaves no thread and no descriptor, and lets the reactor go")
    func nothingLeft() async {
        await #expect(processExitsWith: .success) { try await checkNothingIsLeft() }
    }
}

extension Reactor {
    fileprivate func shutDownFromWithin() async {
        await shutDown()
        preconditionIsolated()
    }
}

/// Runs in a process of its own, so that no other test's sockets are counted.
private func checkNothingIsLeft() async throws {
    // The first one makes what the process keeps: queues, pools, the random source.
    try await useOnce()
    let descriptors = try entries("/proc/self/fd")
    for _ in 0..<20 {
        let reactor = try await useOnce()
        guard try entries("/proc/self/fd") == descriptors else { fatalError("A descriptor was left.") }
        guard reactor.value == nil else { fatalError("A reactor was left.") }
    }
    // The kernel takes a thread that was joined off the list a moment later.
    while try threadNames().contains(where: { $0.hasPrefix("leak-check") || $0.hasPrefix("ZMQbg") }) {
        await Task.yield()
    }
}

@discardableResult
private func useOnce() async throws -> WeakReactor {
    let reactor = try Reactor(label: "leak-check")
    let directory = try TemporaryDirectory()
    for transport in Transport.allCases {
        let endpoint = try await reactor.startEcho(on: try transport.endpoint(in: directory))
        try await reactor.run(EchoClient(count: 10, window: 2), against: endpoint)
        _ = try await reactor.dial(endpoint)
    }
    guard try threadNames().contains("leak-check") else { fatalError("The thread does not have its name.") }
    await reactor.shutDown()
    return WeakReactor(value: reactor)
}

private struct WeakReactor {
    weak var value: Reactor?
}

private func entries(_ directory: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: directory).count
}

private func threadNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { thread in
        try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8).trimmingCharacters(in: .newlines)
    }
}

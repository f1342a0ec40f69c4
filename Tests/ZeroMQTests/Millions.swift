import Foundation
import Synchronization
import TestSupport
import ZeroMQ

/// Sends a million messages through each pattern and looks at the process's memory before and after.
///
/// To be run in a process of its own.
func sendMillions() async throws {
    for pattern in [Flood.echo, .pair, .publish, .sequence] {
        // The first tenth brings every queue and cache to its size.
        try await pattern.run(count: 100_000)
        let before = residentBytes()
        try await pattern.run(count: 1_000_000)
        let growth = residentBytes() - before
        guard growth < 8 << 20 else { fatalError("\(pattern) left \(growth) bytes behind.") }
    }
}

private enum Flood {
    /// ROUTER and DEALER, there and back.
    case echo
    case pair
    /// XPUB and SUB, at the subscriber's pace.
    case publish
    /// DEALER to ROUTER, taken by a task.
    case sequence

    func run(count: Int) async throws {
        try await withReactor("server") { server in
            try await withReactor("client") { client in
                switch self {
                case .echo:
                    let endpoint = try await server.startEcho(on: Endpoint("tcp://127.0.0.1:*"))
                    try await client.run(EchoClient(count: count / 2, window: 128), against: endpoint)
                case .pair: try await server.floodPair(count)
                case .publish: try await floodSubscriber(count, from: server, to: client)
                case .sequence: try await floodSequence(count, from: client, to: server)
                }
            }
        }
    }
}

extension Reactor {
    fileprivate func floodPair(_ count: Int) async throws {
        let (one, other) = (try open(Pair.self), try open(Pair.self))
        try bind(one, to: LocalEndpoint("inproc://flood"))
        try connect(other, to: Endpoint("inproc://flood"))
        let done = Milestone()
        let received = Atomic<Int>(0)
        receive(other) { _ in if received.add(1, ordering: .relaxed).newValue == count { done.advance() } }
        pour(count, into: one)
        await done.reach(1)
    }

    /// Sends as long as there is room, then waits for room.
    fileprivate func pour<Kind: SendingSocket>(_ count: Int, into socket: Socket<Kind>, from first: Int = 0) {
        for number in first..<count where send(Message(number: number), on: socket) == .full {
            return whenWritable(socket) { self.pour(count, into: socket, from: number) }
        }
    }
}

private func floodSubscriber(_ count: Int, from server: Reactor, to client: Reactor) async throws {
    let xpub = try await server.open(XPub.self)
    let endpoint = try await server.bind(xpub, to: LocalEndpoint("tcp://127.0.0.1:*"))
    let sub = try await client.open(Sub.self)
    let topic = try TopicPrefix("flood")
    let (batch, full) = (5_000, Milestone())
    let received = Atomic<Int>(0)
    await client.receive(sub) { _ in
        if received.add(1, ordering: .relaxed).newValue.isMultiple(of: batch) { full.advance() }
    }
    try await client.connect(sub, to: endpoint)
    try await client.subscribe(sub, to: [topic], within: .seconds(30))
    for round in 1...count / batch {
        server.submit { reactor in
            for number in 0..<batch { reactor.publish(Message(number: number), under: topic, on: xpub) }
        }
        await full.reach(round)
    }
}

private func floodSequence(_ count: Int, from client: Reactor, to server: Reactor) async throws {
    let router = try await server.open(Router.self)
    let messages = router.messages
    let dealer = try await client.dial(try await server.bind(router, to: LocalEndpoint("tcp://127.0.0.1:*")))
    await client.pour(count, into: dealer)
    var expected = 0
    for await message in messages.prefix(count) {
        guard message.number == expected else {
            fatalError("\(message.number) came in, not \(expected).")
        }
        expected += 1
    }
}

/// What the process has in memory, as the kernel counts it.
private func residentBytes() -> Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
}

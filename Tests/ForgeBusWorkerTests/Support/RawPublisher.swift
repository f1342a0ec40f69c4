import ForgeBusProtocol
import ZeroMQ

/// A PUB that publishes whatever frames a test wants; it drops nothing for want of room.
struct RawPublisher {
    private let reactor: Reactor
    private let socket: Socket<XPub>

    /// Connects, and returns when the worker's subscription to `topic` has come.
    init(connectingTo endpoint: Endpoint, as identity: CurveClient? = nil, awaiting topic: Name) async throws {
        reactor = try Reactor(label: "raw")
        var options = SocketOptions(for: XPub.self)
        options.sendHighWaterMark = 0
        socket = try await reactor.open(XPub.self, options: options)
        if let identity {
            try await reactor.connect(socket, to: endpoint, as: identity)
        } else {
            try await reactor.connect(socket, to: endpoint)
        }
        try await reactor.awaitSubscriptions(to: TopicPrefix(topic.text), on: socket, within: .seconds(30))
    }

    /// Publishes these frames.
    func publish(_ frames: [[UInt8]]) async { await reactor.send(Message(frames), on: socket) }

    /// Publishes these frames.
    func publish(_ frames: String...) async { await publish(frames.map { Array($0.utf8) }) }

    /// Publishes on a topic, with this place in the row.
    func publish(_ topic: Name, epoch: UInt64, _ sequence: UInt64, source: String? = nil) async {
        let origin = Publication.Origin(epoch: epoch, sequence: sequence)
        await publish(Publication(topic: topic, origin: origin, source: source).frames.map(Array.init))
    }

    /// Publishes on a topic so many times, without a place in any row.
    func publish(_ topic: Name, times: Int) async {
        let message = Message(Publication(topic: topic).frames.map(Array.init))
        await publish(message, times: times, on: reactor)
    }

    private func publish(_ message: Message, times: Int, on reactor: isolated Reactor) {
        for _ in 0..<times { reactor.send(message, on: socket) }
    }

    func close() async { await reactor.shutDown(flushing: .seconds(1)) }
}

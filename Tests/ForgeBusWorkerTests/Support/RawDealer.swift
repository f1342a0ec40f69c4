import ForgeBusProtocol
import TestSupport
import ZeroMQ

/// A DEALER that sends whatever frames a test wants, and keeps what comes back.
struct RawDealer {
    private let reactor: Reactor
    private let socket: Socket<Dealer>
    /// The answers, frame by frame.
    let received = Record<[String]>()

    /// Connects.
    ///
    /// Without `immediate`: with it libzmq drops what a peer sent just before it closed, and when it has handed over only
    /// some frames of that, it ends the process.
    init(_ endpoint: Endpoint, as identity: CurveClient? = nil) async throws {
        let reactor = try Reactor(label: "raw")
        var options = SocketOptions(for: Dealer.self)
        options.immediate = false
        let socket = try await reactor.open(Dealer.self, options: options)
        (self.reactor, self.socket) = (reactor, socket)
        await reactor.receive(socket) { [received] message in
            received.add((0..<message.count).map { String(decoding: message[$0], as: UTF8.self) })
        }
        if let identity {
            try await reactor.connect(socket, to: endpoint, as: identity)
        } else {
            try await reactor.connect(socket, to: endpoint)
        }
    }

    /// Sends a message of these frames, as soon as there is room for it.
    func send(_ frames: String...) async throws {
        let message = Message(frames.map { Array($0.utf8) })
        while await reactor.send(message, on: socket) != .sent { await room() }
    }

    /// Reads nothing until ``resume()``.
    func pause() async { await reactor.pause(socket) }

    /// Reads again.
    func resume() async { await reactor.resume(socket) }

    private func room() async {
        await withCheckedContinuation { continuation in
            reactor.submit { [socket] in $0.whenWritable(socket) { continuation.resume() } }
        }
    }

    /// Waits until that many answers are there, and reads them.
    func answers(_ count: Int) async throws -> [Answer] {
        try await received.reach(count).map { frames in
            guard frames.count == Frames.count else { throw Missing("five frames") }
            let slices = frames.map { ArraySlice($0.utf8) }
            return try Answer(
                decoding: Frames(
                    command: slices[0],
                    id: slices[1],
                    subject: slices[2],
                    attributes: slices[3],
                    body: slices[4]
                )
            )
        }
    }

    func close() async { await reactor.shutDown(flushing: .zero) }
}

import Foundation
import Testing
import ZeroMQ

#if canImport(Glibc)
import Glibc
#endif

/// A pyzmq socket in a process of its own; it does one thing at a time.
struct PythonPeer: Sendable {
    /// What it is bound or connected to.
    let endpoint: Endpoint
    private let process: PythonProcess

    fileprivate init(_ process: PythonProcess) async throws {
        self.process = process
        endpoint = try Endpoint(try #require(try await process.answer().first))
    }

    func send(_ message: Message) async throws { _ = try await ask("send", message) }

    /// Sends the message if there is a connection to send it on: one that is refused ends at once.
    func offer(_ message: Message) async throws { _ = try await ask("offer", message) }

    /// The next message, waiting for it if need be.
    func receive() async throws -> Message { try await ask("receive") }

    /// The next message that is not this one, however often that comes first.
    func receive(skipping message: Message) async throws -> Message { try await ask("skip", message) }

    func subscribe(to topic: [UInt8]) async throws { _ = try await ask("subscribe", Message([topic])) }

    /// Waits for an event of its connections, by pyzmq's name for it.
    ///
    /// - Returns: The event's value, such as the status of who was refused.
    func event(_ name: String) async throws -> Int {
        let value = try #require(try await process.ask(["event", name]).first)
        return try #require(Int(value))
    }

    /// Stops the process: its connections stay open, with nobody behind them.
    func freeze() { process.signal(SIGSTOP) }

    func thaw() { process.signal(SIGCONT) }

    private func ask(_ verb: String, _ message: Message = Message()) async throws -> Message {
        let texts = message.frames.map { Data($0).base64EncodedString() }
        let answer = try await process.ask([verb] + texts)
        return Message(try answer.map { [UInt8](try #require(Data(base64Encoded: $0))) })
    }
}

/// What a Python peer does with its socket first.
enum Attachment {
    case binding(Endpoint)
    case connecting(Endpoint)

    fileprivate var argument: String {
        switch self {
        case .binding(let endpoint): "--bind=\(endpoint)"
        case .connecting(let endpoint): "--connect=\(endpoint)"
        }
    }
}

/// Runs something with a pyzmq socket, and ends its process afterwards, whatever happens.
///
/// The kind is pyzmq's name for it, and options are more for the command line of `zeromq_peer.py`.
func withPython<Value>(
    _ kind: String,
    _ attachment: Attachment,
    _ options: [String] = [],
    _ body: (PythonPeer) async throws -> Value
) async throws -> Value {
    let process = try PythonProcess(["socket", kind, attachment.argument] + options)
    do {
        let value = try await body(try await PythonPeer(process))
        await process.end()
        return value
    } catch {
        await process.end()
        throw error
    }
}

/// The side that binds; the other one connects.
enum Binder: String, CaseIterable, CustomTestStringConvertible {
    case ours = "ours binds"
    case theirs = "pyzmq binds"

    var testDescription: String { rawValue }
}

extension Reactor {
    /// Runs something with one of our sockets and a pyzmq socket that are bound and connected to each other.
    nonisolated func join<Kind: SocketKind, Value: Sendable>(
        _ socket: Socket<Kind>,
        with kind: String,
        _ binder: Binder,
        at endpoint: Endpoint? = nil,
        _ body: @Sendable (PythonPeer) async throws -> Value
    ) async throws -> Value {
        let endpoint = try endpoint ?? Endpoint("tcp://127.0.0.1:*")
        switch binder {
        case .ours:
            let bound = try await bind(socket, to: LocalEndpoint(endpoint))
            return try await withPython(kind, .connecting(bound)) { try await body($0) }
        case .theirs:
            return try await withPython(kind, .binding(endpoint)) { python in
                try await connect(socket, to: python.endpoint)
                return try await body(python)
            }
        }
    }
}

extension Message {
    var frames: [[UInt8]] { (0..<count).map { Array(self[$0]) } }

    /// A message of frames that hold texts.
    init(_ texts: String...) { self.init(texts.map { Array($0.utf8) }) }

    /// A message with frames before it.
    static func + (frames: [[UInt8]], message: Message) -> Message { Message(frames + message.frames) }

    /// The message without its first frames.
    func dropFirst(_ count: Int = 1) -> Message { Message(Array(frames.dropFirst(count))) }

    /// Messages whose sizes and numbers of frames take each way through both implementations.
    ///
    /// The largest is the limit itself, also with CURVE, which makes frames larger.
    static let ofEveryShape: [Message] = {
        var shapes: [[Int]] = [[0], [1], [0, 0], [0, 3, 0], [33, 34], [255, 256], [8_192, 0, 8_193]]
        shapes += [Array(repeating: 7, count: 8), Array(repeating: 9, count: 9), Array(0..<40), [1 << 20]]
        return shapes.enumerated().map { number, sizes in
            // Other bytes in each message, and no row of 256 like the one before.
            Message(sizes.map { size in (0..<size).map { UInt8(truncatingIfNeeded: number + $0 + $0 >> 8) } })
        }
    }()
}

extension AsyncSequence where Element: Sendable {
    /// The next elements, fewer when the sequence ends or the time of the test is over.
    func next(_ count: Int) async throws -> [Element] {
        try await prefix(count).reduce(into: []) { $0.append($1) }
    }
}

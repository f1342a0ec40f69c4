import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// A process that runs `Tests/Python/zeromq_peer.py`.
///
/// It is talked with over its standard input and output: a line is a JSON array of texts, both ways.
final class PythonProcess: Sendable {
    /// The process ended, or said what nobody understands.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let id: pid_t
    private let connection: LineConnection
    private let exit = Milestone()

    /// Starts the script with what follows its name on the command line.
    init(_ arguments: [String]) throws {
        let (ours, theirs) = try LineConnection.pair()
        let process = Process()
        process.executableURL = URL(filePath: Python.interpreter)
        process.arguments = [Python.script] + arguments
        process.standardInput = theirs
        process.standardOutput = theirs
        process.terminationHandler = { [exit] _ in exit.advance() }
        try process.run()
        // The process alone holds its end now, so that ours closes with it.
        try theirs.close()
        connection = ours
        id = process.processIdentifier
    }

    /// Runs the script to its end and takes the one line that it says.
    static func output(of arguments: String...) async throws -> [String] {
        let process = try PythonProcess(arguments)
        let answer = try await process.answer()
        await process.exit.reach(1)
        return answer
    }

    /// Says a line and takes the answer; for one task at a time.
    func ask(_ texts: [String]) async throws -> [String] {
        connection.say(try JSONEncoder().encode(texts))
        return try await answer()
    }

    /// The next line it says.
    func answer() async throws -> [String] {
        for await line in connection.lines { return try JSONDecoder().decode([String].self, from: line) }
        throw Failure(description: "The Python peer ended without an answer; its last words are in the log.")
    }

    /// Sends it a signal: SIGSTOP leaves its connections open with nobody behind them.
    func signal(_ signal: Int32) { kill(id, signal) }

    /// Ends it, whatever it does, and waits for that.
    func end() async {
        signal(SIGKILL)
        await exit.reach(1)
    }
}

/// Where Python is, and whether it will do.
enum Python {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    static let script = "\(root)/Tests/Python/zeromq_peer.py"

    /// The interpreter that FORGE_PYTHON names, or the one that `deploy/test` prepares.
    static let interpreter = ProcessInfo.processInfo.environment["FORGE_PYTHON"] ?? "\(root)/.build/python/bin/python"

    /// Whether the interpreter is there and has pyzmq with CURVE.
    static let isReady: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: interpreter)
        process.arguments = ["-c", "import zmq, zmq.auth.thread; assert zmq.has('curve')"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}

extension Trait where Self == ConditionTrait {
    /// Skips what needs a Python with pyzmq where there is none, and says so.
    static var needsPython: Self {
        .enabled(
            if: Python.isReady,
            "\(Python.interpreter) has no pyzmq: set FORGE_PYTHON to one that has, or run deploy/test, which prepares it."
        )
    }
}

/// Our end of a connection that carries lines.
private final class LineConnection: Sendable {
    /// The lines that come in, until the other end is closed.
    let lines: AsyncStream<Data>
    private let line: AsyncStream<Data>.Continuation
    private let descriptor: Int32

    /// Two connected ends; a socket, because writing to a pipe that nobody reads any more would end all tests.
    static func pair() throws -> (ours: LineConnection, theirs: FileHandle) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        return (LineConnection(ends[0]), FileHandle(fileDescriptor: ends[1], closeOnDealloc: true))
    }

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        (lines, line) = AsyncStream.makeStream()
        // The thread holds the connection, and with it the descriptor, until the other end is closed.
        Thread.detachNewThread { self.read() }
    }

    deinit { close(descriptor) }

    func say(_ line: Data) {
        var rest = line[...] + [0x0A]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            // That nobody listens any more shows in the answer that does not come.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private func read() {
        var start = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            var rest = buffer[..<count]
            while let end = rest.firstIndex(of: 0x0A) {
                line.yield(start + rest[..<end])
                start = Data()
                rest = rest[(end + 1)...]
            }
            start += rest
        }
        line.finish()
    }
}

import Foundation
import TestSupport
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
        let id = try Python.start([Python.script] + arguments, on: theirs.fileDescriptor)
        // The process alone holds its end now, so that ours closes with it.
        try theirs.close()
        connection = ours
        self.id = id
        Thread.detachNewThread { [exit] in
            Python.awaitEnd(of: id)
            exit.advance()
        }
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
        guard let silence = FileHandle(forUpdatingAtPath: "/dev/null"),
            let id = try? start(
                ["-c", "import zmq, zmq.auth.thread; assert zmq.has('curve')"],
                on: silence.fileDescriptor
            )
        else { return false }
        return awaitEnd(of: id) == 0
    }()

    /// Starts the interpreter with `end` as its standard input and output.
    ///
    /// Not by Foundation's `Process`: where hundreds of descriptors are open, it reads beyond the end of their listing.
    static func start(_ arguments: [String], on end: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        try #require(posix_spawn_file_actions_init(&actions) == 0)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for standard in [STDIN_FILENO, STDOUT_FILENO] {
            try #require(posix_spawn_file_actions_adddup2(&actions, end, standard) == 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = ([interpreter] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var id: pid_t = 0
        let error = posix_spawn(&id, interpreter, &actions, nil, &words, environ)
        guard error == 0 else { throw PythonProcess.Failure(description: String(cString: strerror(error))) }
        return id
    }

    /// Waits until the process is gone, and takes how it ended: 0 is well.
    @discardableResult static func awaitEnd(of id: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) == -1, errno == EINTR {}
        return status
    }
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

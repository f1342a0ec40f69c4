import ForgeBusProtocol
import Synchronization

import class Foundation.ProcessInfo

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where the command writes: results to standard output, complaints to standard error.
///
/// Text from outside cannot begin another line or control the terminal: lines for people are escaped here.
enum Terminal {
    /// Why a part of the result could not be written; 0 where all of it was.
    private static let failure = Atomic<Int32>(0)
    /// Ends when nobody reads the result any more.
    private static let reader = AsyncStream<Never>.makeStream()

    /// Whether all of the result could be written: a reader of a part must not take that for all.
    static var isWritten: Bool { failure.load(ordering: .relaxed) == 0 }

    /// Complains that the result could not be written, unless because its reader has left.
    ///
    /// - Throws: The `ExitCode` for the failure.
    static func checkWritten() throws {
        let failure = failure.load(ordering: .relaxed)
        guard failure != 0 else { return }
        if failure == EPIPE { throw ExitStatus.unread.exit }
        let cause = String(cString: strerror(failure))
        complain(["Standard output cannot be written: \(cause).", "  Make room, and ask again."])
        throw ExitStatus.inputOutput.exit
    }

    /// Waits until a write shows that nobody reads the result any more.
    ///
    /// - Returns: Whether the reader has left; false where the task was cancelled before.
    static func readerLeaves() async -> Bool {
        for await _ in reader.stream {}
        return failure.load(ordering: .relaxed) == EPIPE
    }

    /// Lines of the result for people, at once also when they go into a pipe.
    static func say(_ lines: [String]) { say(document: text(lines)) }

    /// A result for programs, as it is.
    static func say(document: String) { write(document + "\n", to: 1) }

    /// What went wrong, and what to do.
    static func complain(_ lines: [String], as name: String = "forgebus: ") { write(name + text(lines) + "\n", to: 2) }

    /// Whether somebody looks at standard output on a terminal that can draw a row anew.
    static var isInteractive: Bool {
        guard isatty(1) == 1 else { return false }
        let kind = ProcessInfo.processInfo.environment["TERM"] ?? ""
        return !kind.isEmpty && kind != "dumb"
    }

    /// Whether colours are wanted (no-color.org).
    static var hasColours: Bool {
        isInteractive && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// How wide the terminal is; 80 where it does not say.
    static var columns: Int {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Draws the row the cursor is in anew (ECMA-48: CR, EL); only where it ``isInteractive``.
    static func redraw(_ row: String) { write("\r\u{1B}[2K" + row, to: 1) }

    private static func text(_ lines: [String]) -> String {
        lines.map(Printable.escaped).joined(separator: "\n")
    }

    private static func write(_ text: String, to descriptor: Int32) {
        // What comes behind a gap would be taken for the whole.
        guard descriptor != 1 || isWritten else { return }
        let bytes = Array(text.utf8)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                Darwin.write(descriptor, buffer.baseAddress, buffer.count)
                #elseif canImport(Musl)
                Musl.write(descriptor, buffer.baseAddress, buffer.count)
                #else
                Glibc.write(descriptor, buffer.baseAddress, buffer.count)
                #endif
            }
            guard count > 0 || errno == EINTR else {
                if descriptor == 1 { fail(errno) }
                return
            }
            rest = rest.dropFirst(max(0, count))
        }
    }

    private static func fail(_ code: Int32) {
        failure.store(code, ordering: .relaxed)
        if code == EPIPE { reader.continuation.finish() }
    }
}

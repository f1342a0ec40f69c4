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

/// Writes results to standard output, and errors to standard error.
///
/// Text from other processes cannot begin a new line or control the terminal, because lines for people are escaped.
enum Terminal {
    /// The error number of the failed write to standard output; 0 if no write has failed.
    private static let failure = Atomic<Int32>(0)
    /// A stream that ends when the reader of the result has left.
    private static let reader = AsyncStream<Never>.makeStream()

    /// Whether all standard output so far was written; if not, the command must fail, because its output is incomplete.
    static var isWritten: Bool { failure.load(ordering: .relaxed) == 0 }

    /// Throws if standard output could not be written, and prints the cause unless the cause is that the reader left.
    ///
    /// - Throws: The `ExitCode` for the failure.
    static func checkWritten() throws {
        let failure = failure.load(ordering: .relaxed)
        guard failure != 0 else { return }
        if failure == EPIPE { throw ExitStatus.unread.exit }
        complain(Errors.unwrittenOutput(failure))
        throw ExitStatus.inputOutput.exit
    }

    /// Waits until a write shows that the reader has left.
    ///
    /// - Returns: Whether the reader has left; false if the task was cancelled first.
    static func readerLeaves() async -> Bool {
        for await _ in reader.stream {}
        return failure.load(ordering: .relaxed) == EPIPE
    }

    /// Prints lines of the result for people, without a buffer, even if standard output is a pipe.
    static func say(_ lines: [String]) { say(document: text(lines)) }

    /// Prints a result for programs without escaping, and a line end.
    static func say(document: String) { write(document + "\n", to: 1) }

    /// Prints lines on standard error, after `name`; on a terminal they are wrapped at spaces.
    static func complain(_ lines: [String], as name: String = "forgebus: ") {
        guard isatty(2) == 1, let first = lines.first else { return write(name + text(lines) + "\n", to: 2) }
        let wrapped = ([name + first] + lines.dropFirst()).flatMap { line in
            let indent = line.prefix { $0 == " " }
            return line.dropFirst(indent.count).wrapped(to: max(40, columns - indent.count)).map { "\(indent)\($0)" }
        }
        write(text(wrapped) + "\n", to: 2)
    }

    /// Whether standard output is a terminal that can redraw a row.
    static var isInteractive: Bool {
        guard isatty(1) == 1 else { return false }
        let kind = ProcessInfo.processInfo.environment["TERM"] ?? ""
        return !kind.isEmpty && kind != "dumb"
    }

    /// Whether to print colours; the variable NO_COLOR turns them off (no-color.org).
    static var hasColours: Bool {
        isInteractive && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    }

    /// The terminal's width; 80 if it is unknown.
    static var columns: Int {
        var size = winsize()
        // Standard output may be a pipe, and standard error the terminal.
        for descriptor in [Int32(1), 2] where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return 80
    }

    /// Makes the help at least 40 columns wide, by setting the variable `COLUMNS` to 40 if necessary.
    ///
    /// ArgumentParser wraps its help at the width in `COLUMNS`, or else at the terminal's width. If the width leaves no
    /// room beside the column of options, ArgumentParser ends the process.
    static func leaveRoomForHelp() {
        let wanted = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
        if (wanted ?? columns) < 40 { setenv("COLUMNS", "40", 1) }
    }

    /// Asks a question on the terminal, until an answer comes or the task is cancelled.
    ///
    /// - Returns: Whether the answer is `y` or `yes`. True without a question if standard input is no terminal, because
    ///   then nobody could answer.
    static func agrees(to question: String) async -> Bool {
        guard isatty(0) == 1 else { return true }
        write("\(question) [y/N] ", to: 1)
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        while poll(&input, 1, 50) <= 0 {
            guard !Task.isCancelled else { return false }
            await Task.yield()
        }
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    /// Draws `row` in place of the current row, and leaves the cursor at the row's start.
    ///
    /// A terminal that becomes narrower may break the row into several. The cursor then stays at the start of the first
    /// one, so that the next drawing clears them all (ECMA-48: CR, ED). A row that was measured for a wider terminal is
    /// cut and not broken (DECAWM off), because a break would move the cursor. Call this method only if
    /// ``isInteractive`` is true.
    static func redraw(_ row: String) { write(clearing + "\u{1B}[?7l" + row + "\u{1B}[?7h\r", to: 1) }

    /// Removes the current row; call it only if ``isInteractive`` is true.
    static func removeRow() { write(clearing, to: 1) }

    /// Prints a line that stays, in place of the current row; call it only if ``isInteractive`` is true.
    static func replaceRow(with line: String) { write(clearing + line + "\n", to: 1) }

    /// Clears the current row, and all rows below it.
    private static let clearing = "\r\u{1B}[J"

    private static func text(_ lines: [String]) -> String {
        lines.map(Printable.escaped).joined(separator: "\n")
    }

    private static func write(_ text: String, to descriptor: Int32) {
        // After a failed write nothing more is written, or the output would look complete.
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

import Synchronization

import class Foundation.ProcessInfo

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where the command speaks: results to standard output, troubles to standard error.
enum Terminal {
    /// Why a part of the result could not be written; 0 where all of it was, or nobody wanted more.
    private static let failure = Atomic<Int32>(0)

    /// Whether all of the result could be written: whoever reads a part of it must not take that for all.
    static func isWritten(complaining: Bool = false) -> Bool {
        let failure = failure.load(ordering: .relaxed)
        guard failure != 0 else { return true }
        let cause = String(cString: strerror(failure))
        if complaining { complain("Standard output cannot be written: \(cause).\n  Make room, and ask again.") }
        return false
    }

    /// One line of the result, at once also when it goes into a pipe.
    static func say(_ line: String) { write(line, to: 1) }

    /// What went wrong, and what to do.
    static func complain(_ line: String) { write("forgebus: " + line, to: 2) }

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
    static func redraw(_ row: String) { write("\r\u{1B}[2K" + row, to: 1, end: "") }

    private static func write(_ line: String, to descriptor: Int32, end: String = "\n") {
        let bytes = Array((line + end).utf8)
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
                // Nobody reads any more: there is nobody to tell.
                if descriptor == 1, errno != EPIPE { failure.store(errno, ordering: .relaxed) }
                return
            }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

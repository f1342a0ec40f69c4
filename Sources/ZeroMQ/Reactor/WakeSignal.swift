import CZeroMQ

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A descriptor that becomes readable to wake the reactor.
///
/// It is an eventfd on Linux, and a pipe on other systems. Any thread may call `raise`. The mailbox calls `raise` and
/// `dispose` under its lock, so no thread writes to a closed descriptor whose number another file uses by now.
struct WakeSignal {
    /// The descriptor that the reactor polls.
    let readable: Int32
    private let writable: Int32

    init() throws(ZeroMQError) {
        #if os(Linux)
        readable = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        writable = readable
        #else
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends where end >= 0 {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (readable, writable) = (ends[0], ends[1])
        #endif
        guard readable >= 0 else { throw Errors.tooManyDescriptors("The reactor could not be started") }
    }

    /// Makes the descriptor readable.
    func raise() {
        var one: UInt64 = 1
        while write(writable, &one, MemoryLayout<UInt64>.size) < 0, errno == EINTR {}
    }

    /// Reads the descriptor until it is no longer readable.
    func consume() {
        var count: UInt64 = 0
        #if os(Linux)
        while read(readable, &count, MemoryLayout<UInt64>.size) < 0, errno == EINTR {}
        #else
        while read(readable, &count, MemoryLayout<UInt64>.size) > 0 || errno == EINTR {}
        #endif
    }

    /// Closes the descriptors.
    func dispose() {
        close(readable)
        if writable != readable { close(writable) }
    }
}

import CZeroMQ
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Tells when libzmq lets go of a frame: it was written to the connection, or the connection is gone.
///
/// libzmq frees the frame on a thread of its own, so what is called must bear that.
final class Departure: Sendable {
    private let onEnd: @Sendable () -> Void
    private let isSent = Atomic(true)

    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    /// Hands over a frame that tells when it has left.
    ///
    /// - Returns: 0, or the error number; then nothing is told.
    static func hand(
        _ bytes: UnsafeRawBufferPointer,
        to socket: UnsafeMutableRawPointer,
        _ flags: Int32,
        _ onEnd: @escaping @Sendable () -> Void
    ) -> Int32 {
        guard let copy = malloc(max(bytes.count, 1)) else { return ENOMEM }
        if let start = bytes.baseAddress { copy.copyMemory(from: start, byteCount: bytes.count) }
        let departure = Unmanaged.passRetained(Departure(onEnd))
        var frame = zmq_msg_t()
        guard zmq_msg_init_data(&frame, copy, bytes.count, frameHasLeft, departure.toOpaque()) == 0 else {
            departure.release()
            free(copy)
            return ENOMEM
        }
        while zmq_msg_send(&frame, socket, flags) < 0 {
            let error = zmq_errno()
            if error == EINTR { continue }
            // It was not sent: freeing it tells nobody.
            departure.takeUnretainedValue().isSent.store(false, ordering: .relaxed)
            zmq_msg_close(&frame)
            return error
        }
        return 0
    }

    fileprivate func end() {
        if isSent.load(ordering: .relaxed) { onEnd() }
    }
}

/// What libzmq calls when it frees a frame; a function of its own, so that no actor is assumed.
private func frameHasLeft(_ bytes: UnsafeMutableRawPointer?, _ hint: UnsafeMutableRawPointer?) {
    free(bytes)
    if let hint { Unmanaged<Departure>.fromOpaque(hint).takeRetainedValue().end() }
}

import CZeroMQ
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Calls back when libzmq frees a frame: the frame was written to the connection, or the connection is gone.
///
/// libzmq frees frames on its own threads, so the callback must be safe there.
final class Departure: Sendable {
    private let onEnd: @Sendable () -> Void
    private let isSent = Atomic(true)

    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    /// Sends a frame, and calls `onEnd` when libzmq frees the frame.
    ///
    /// - Returns: 0, or the error number; after an error the callback is not called.
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
            // The frame was not sent, so freeing it must not call back.
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

/// The function that libzmq calls when it frees a frame.
///
/// It is outside any type and closure, so that Swift does not assume that it runs on an actor.
private func frameHasLeft(_ bytes: UnsafeMutableRawPointer?, _ hint: UnsafeMutableRawPointer?) {
    free(bytes)
    if let hint { Unmanaged<Departure>.fromOpaque(hint).takeRetainedValue().end() }
}

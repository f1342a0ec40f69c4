import CZeroMQ

/// Takes whole messages out of a socket; a message of up to 64 KiB and eight frames needs only one allocation.
///
/// The reader gathers the frames in a reused buffer, then copies them into one block of exactly their size. It always
/// copies frames: a small received frame is only a view into a buffer of 8 KiB, and libzmq would keep that buffer until
/// the frame is freed. Owned by the reactor thread.
final class FrameReader {
    /// The size in bytes of the largest message that fits into the buffer; larger ones are built frame by frame.
    private static let gatheringSize = 64 << 10
    /// The number of bytes added to the size of each frame, so that many empty frames also reach the size limit.
    private static let frameCost = 16

    /// The frame being read.
    private let frame = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
    private let gathered = UnsafeMutablePointer<UInt8>.allocate(capacity: gatheringSize)
    private let ends = UnsafeMutablePointer<UInt32>.allocate(capacity: FrameEnds.inlineCount)

    private let senders = SenderKeys()

    init() { zmq_msg_init(frame) }

    deinit {
        zmq_msg_close(frame)
        frame.deallocate()
        gathered.deallocate()
        ends.deallocate()
    }

    /// Takes the next message of a socket other than a ROUTER.
    ///
    /// - Parameters:
    ///   - socket: The socket to read from.
    ///   - readsKey: Whether the connections are authenticated, so that messages come with a key.
    ///   - most: The maximum size of a message in bytes; a larger message is discarded, unless it fits into the buffer.
    /// - Returns: The message, or nil if no message is waiting.
    func message(from socket: UnsafeMutableRawPointer, readsKey: Bool = false, atMost most: Int = .max) -> Message? {
        while true {
            let size = take(from: socket)
            if size < 0 { return nil }
            if let message = assemble(firstSize: size, from: socket, readsKey, most) { return message }
        }
    }

    /// Takes the next message of a ROUTER.
    ///
    /// - Returns: The message with the peer that sent it, or nil if no message is waiting.
    func routedMessage(from socket: UnsafeMutableRawPointer, readsKey: Bool, atMost most: Int) -> Message? {
        while true {
            let idSize = take(from: socket)
            guard idSize >= 0, zmq_msg_more(frame) != 0 else { return nil }
            let peer = PeerID(UnsafeRawBufferPointer(start: zmq_msg_data(frame), count: idSize))
            let size = take(from: socket)
            if size < 0 { return nil }
            if var message = assemble(firstSize: size, from: socket, readsKey, most) {
                message.peer = peer
                return message
            }
        }
    }

    @inline(__always)
    private func assemble(
        firstSize size: Int,
        from socket: UnsafeMutableRawPointer,
        _ readsKey: Bool,
        _ most: Int
    ) -> Message? {
        guard readsKey else { return assemble(firstSize: size, from: socket, most) }
        let sender = senders.key(of: frame)
        var message = assemble(firstSize: size, from: socket, most)
        message?.sender = sender
        return message
    }

    /// Completes the message whose first frame was just taken.
    ///
    /// - Returns: The message; nil if it is larger than `most`, or if libzmq shuts down before the last frame.
    private func assemble(firstSize: Int, from socket: UnsafeMutableRawPointer, _ most: Int) -> Message? {
        var size = firstSize
        var total = 0
        var count = 0
        while true {
            guard total + size <= Self.gatheringSize, count < FrameEnds.inlineCount else {
                let start = message(of: total, count)
                return complete(start, nextSize: size, from: socket, most)
            }
            if size > 0 {
                UnsafeMutableRawPointer(gathered + total).copyMemory(from: zmq_msg_data(frame), byteCount: size)
            }
            total += size
            ends[count] = UInt32(truncatingIfNeeded: total)
            count += 1
            if zmq_msg_more(frame) == 0 { return message(of: total, count) }
            // libzmq delivers a message only when all its frames are there, so this fails only when the context is
            // ending.
            size = take(from: socket)
            guard size >= 0 else { return nil }
        }
    }

    /// Completes a message that has too many bytes or frames for the buffer.
    ///
    /// - Returns: The message; nil if it is larger than `most`, or if libzmq shuts down before the last frame.
    private func complete(
        _ start: Message,
        nextSize: Int,
        from socket: UnsafeMutableRawPointer,
        _ most: Int
    ) -> Message? {
        var message: Message? = start
        var size = nextSize
        var room = most - start.sizeInBytes
        while true {
            room -= size + Self.frameCost
            // The loop also reads a message that is too large to its end; otherwise the next read would begin in the
            // middle of that message.
            if room < 0 { message = nil }
            message?.append(UnsafeRawBufferPointer(start: zmq_msg_data(frame), count: size))
            if zmq_msg_more(frame) == 0 { return message }
            size = take(from: socket)
            guard size >= 0 else { return nil }
        }
    }

    @inline(__always)
    private func message(of total: Int, _ count: Int) -> Message {
        let storage = [UInt8](UnsafeBufferPointer(start: gathered, count: total))
        return Message(storage: storage, ends: FrameEnds(ends, count: count))
    }

    /// Takes the next frame.
    ///
    /// - Returns: The size of the frame, or -1 if no frame is waiting.
    @inline(__always)
    private func take(from socket: UnsafeMutableRawPointer) -> Int {
        var size = zmq_msg_recv(frame, socket, ZMQ_DONTWAIT)
        while size < 0 {
            if zmq_errno() != EINTR { return -1 }
            size = zmq_msg_recv(frame, socket, ZMQ_DONTWAIT)
        }
        // The call returns an `int`, which is too small for the size of a frame of 2 GiB.
        return size == Int32.max ? zmq_msg_size(frame) : Int(size)
    }
}

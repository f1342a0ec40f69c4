import CZeroMQ

extension Message {
    /// Sends to one peer of a ROUTER that reports undeliverable messages.
    ///
    /// The first frame decides: if the peer is there and has room, libzmq takes the other frames, too.
    ///
    /// - Parameters:
    ///   - router: The socket.
    ///   - peer: The receiver.
    ///   - onDeparture: Called on some thread when libzmq has freed the last frame; not called when nothing was sent.
    /// - Returns: The outcome.
    func send(
        on router: UnsafeMutableRawPointer,
        to peer: PeerID,
        onDeparture: (@Sendable () -> Void)? = nil
    ) -> SendOutcome {
        let error = peer.withUnsafeBytes { Self.hand($0, to: router, ZMQ_DONTWAIT | ZMQ_SNDMORE) }
        switch error {
        case 0: return sendFrames(on: router, onDeparture: onDeparture)
        case EAGAIN: return .full
        default: return .unreachable
        }
    }

    /// Sends to any connection of a DEALER that has room.
    func send(on dealer: UnsafeMutableRawPointer) -> SendOutcome {
        sendFrames(on: dealer)
    }

    /// Publishes: the topic as a frame of its own, then the message.
    ///
    /// PUB and XPUB never refuse: they drop a message for which there is no room.
    func publish(on publisher: UnsafeMutableRawPointer, under topic: TopicPrefix) {
        var text = topic.text
        let error = text.withUTF8 {
            Self.hand(UnsafeRawBufferPointer($0), to: publisher, ZMQ_DONTWAIT | ZMQ_SNDMORE)
        }
        if error == 0 { _ = sendFrames(on: publisher) }
    }

    @inline(__always)
    private func sendFrames(
        on socket: UnsafeMutableRawPointer,
        onDeparture: (@Sendable () -> Void)? = nil
    ) -> SendOutcome {
        guard count > 0 else { fatalError("A message without frames cannot be sent; append one, it may be empty.") }
        return storage.withUnsafeBytes { bytes in
            var start = 0
            for index in 0..<count {
                let end = ends[index]
                let isLast = index == count - 1
                let flags = isLast ? ZMQ_DONTWAIT : ZMQ_DONTWAIT | ZMQ_SNDMORE
                let frame = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                let error =
                    if isLast, let onDeparture {
                        Departure.hand(frame, to: socket, flags, onDeparture)
                    } else {
                        Self.hand(frame, to: socket, flags)
                    }
                if error != 0 {
                    if index == 0 { return error == EAGAIN ? .full : .unreachable }
                    finishDropped(from: index + 1, on: socket)
                    return .unreachable
                }
                start = end
            }
            return .sent
        }
    }

    /// Ends a message whose connection died between two frames.
    ///
    /// libzmq has taken back the first frames and drops the following ones, up to the last. Send them anyway, or libzmq
    /// would drop the next message in their place.
    private func finishDropped(from next: Int, on socket: UnsafeMutableRawPointer) {
        for index in next..<max(next, count) {
            let flags = index == count - 1 ? ZMQ_DONTWAIT : ZMQ_DONTWAIT | ZMQ_SNDMORE
            _ = Self.hand(UnsafeRawBufferPointer(start: nil, count: 0), to: socket, flags)
        }
    }

    /// Sends one frame.
    ///
    /// - Returns: 0, or the error number.
    @inline(__always)
    private static func hand(
        _ bytes: UnsafeRawBufferPointer,
        to socket: UnsafeMutableRawPointer,
        _ flags: Int32
    ) -> Int32 {
        while zmq_send(socket, bytes.baseAddress, bytes.count, flags) < 0 {
            let error = zmq_errno()
            if error != EINTR { return error }
        }
        return 0
    }
}

import CZeroMQ

extension SendOutcome {
    /// The outcome of a send whose first frame libzmq did not take.
    fileprivate init(_ error: Int32) {
        self =
            switch error {
            case EAGAIN: .full
            case czmq_error_state: .refused
            default: .unreachable
            }
    }
}

extension Message {
    /// Sends the message to one peer, on a ROUTER that reports undeliverable messages.
    ///
    /// libzmq accepts the peer's id as the first frame only if the peer is connected and has room. It then also accepts
    /// the other frames, unless the connection ends.
    ///
    /// - Parameters:
    ///   - router: The socket.
    ///   - peer: The peer to send the message to.
    ///   - onDeparture: Called on any thread when libzmq frees the last frame; not called unless the message was sent.
    /// - Returns: The outcome.
    func send(
        on router: UnsafeMutableRawPointer,
        to peer: PeerID,
        onDeparture: (@Sendable () -> Void)? = nil
    ) -> SendOutcome {
        guard count > 0 else { return .refused }
        let error = peer.withUnsafeBytes { Self.hand($0, to: router, ZMQ_DONTWAIT | ZMQ_SNDMORE) }
        return error == 0 ? sendFrames(on: router, onDeparture: onDeparture) : SendOutcome(error)
    }

    /// Sends the message on a socket other than a ROUTER; a DEALER selects a connection that has room.
    func send(on dealer: UnsafeMutableRawPointer) -> SendOutcome {
        sendFrames(on: dealer)
    }

    /// Publishes the message, with the topic as an additional first frame.
    ///
    /// PUB and XPUB accept every message. They drop the message for each subscriber that has no room.
    func publish(on publisher: UnsafeMutableRawPointer, under topic: TopicPrefix) {
        guard count > 0 else { return }
        let error = topic.bytes.withUnsafeBytes { Self.hand($0, to: publisher, ZMQ_DONTWAIT | ZMQ_SNDMORE) }
        if error == 0 { _ = sendFrames(on: publisher) }
    }

    @inline(__always)
    private func sendFrames(
        on socket: UnsafeMutableRawPointer,
        onDeparture: (@Sendable () -> Void)? = nil
    ) -> SendOutcome {
        guard count > 0 else { return .refused }
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
                    if index == 0 { return SendOutcome(error) }
                    finishDropped(from: index + 1, on: socket)
                    return .unreachable
                }
                start = end
            }
            return .sent
        }
    }

    /// Finishes a message whose connection ended between two frames: sends an empty frame for each remaining frame.
    ///
    /// libzmq has discarded the first frames, and drops all frames up to the last frame of the message. Without the
    /// empty frames, libzmq would drop the frames of the next message instead.
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

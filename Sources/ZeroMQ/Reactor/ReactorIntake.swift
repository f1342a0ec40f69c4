import CZeroMQ

/// The loops that pass messages from a socket to the socket's receiver: a handler or a message sequence.
///
/// The receiver is looked up once in each turn. The loop itself makes one comparison for each message: if a handler
/// pauses or closes the socket, or installs another handler, the loop takes no more messages in this turn.
extension Reactor {
    /// Passes all messages that have arrived on a socket to its handler, even if there are more than a turn may take.
    ///
    /// Call this method when a connection has ended, so that the handler gets the connection's last messages before the
    /// program reacts to the end. The handler itself must not call this method. The method does nothing for a paused
    /// socket or for a message sequence.
    ///
    /// - Parameter socket: The socket; a closed socket has no messages.
    package func drain(_ socket: Socket<some ReceivingSocket>) {
        guard let socket = sockets[socket.token], socket.isReceiving, case .messages(let handler) = socket.intake else {
            return
        }
        takeMessages(from: socket, Share(messages: .max, bytes: .max)) { handler($0) }
    }

    /// Passes a socket's messages to its receiver, up to the limits of ``ReactorOptions`` for one turn.
    func takeMessages(from socket: OpenSocket) {
        guard socket.isReceiving else { return }
        let end = options.timePerTurn.map { ContinuousClock.now + $0 }
        let share = Share(messages: options.messagesPerTurn, bytes: options.bytesPerTurn, end: end)
        switch socket.intake {
        case .none:
            break
        case .messages(let handler):
            takeMessages(from: socket, share) { handler($0) }
        case .subscriptions(let handler):
            takeMessages(from: socket, share) { takeSubscription($0, of: socket, handler) }
        case .proxy(let forwarding):
            forward(forwarding)
        case .inbox:
            var bytes = 0
            takeMessages(from: socket, share) { message in
                batch.append(message)
                bytes += message.sizeInBytes
            }
            guard !socket.inbox.deliver(&batch, bytes: bytes) else { return }
            socket.isStalled = true
            pollSet.update(socket)
        }
    }

    @inline(__always)
    private func takeMessages(from socket: OpenSocket, _ whole: Share, _ body: (Message) -> Void) {
        let reception = socket.reception
        let readsKey = socket.readsKeys
        let most = socket.options.mostBytesOfAMessage
        let mayAcknowledge = socket.kind == ZMQ_SUB || socket.kind == ZMQ_XSUB
        let isRouting = socket.kind == ZMQ_ROUTER || socket.kind == ZMQ_STREAM
        var share = whole
        while !socket.leftovers.isEmpty, socket.reception == reception { body(socket.leftovers.removeFirst()) }
        while socket.reception == reception, share.hasRoom {
            let message =
                isRouting
                ? reader.routedMessage(from: socket.handle, readsKey: readsKey, atMost: most)
                : reader.message(from: socket.handle, readsKey: readsKey, atMost: most)
            guard let message else { return }
            share.take(message)
            if mayAcknowledge, Sentinel.isSentinel(message) {
                takeAcknowledgement(message, of: socket)
            } else if socket.requests.areUsed, let answer = socket.requests.take(message) {
                if let wait = answer.wait {
                    answers[wait] = answer.answer
                    end(wait, nil)
                }
            } else {
                body(message)
            }
        }
    }
}

/// The number of messages and bytes that the reactor may still take from one socket in this turn.
private struct Share {
    var messages: Int
    var bytes: Int
    /// When the turn takes no more messages from the socket; nil for no limit.
    var end: ContinuousClock.Instant?

    var hasRoom: Bool { messages > 0 && bytes > 0 }

    mutating func take(_ message: Message) {
        messages -= 1
        bytes -= message.sizeInBytes
        // The clock is read for one message in eight, because reading it takes a good part of a small message's time.
        if let end, messages % 8 == 0, ContinuousClock.now >= end { messages = 0 }
    }
}

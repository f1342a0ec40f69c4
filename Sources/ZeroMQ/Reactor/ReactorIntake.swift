import CZeroMQ

/// The innermost loops: from a socket to whoever wants its messages.
///
/// What to do with a message is looked up once a turn. The loop itself has one comparison, by which a handler that
/// pauses or closes its socket, or puts another handler in its place, ends this one's turn.
extension Reactor {
    /// Hands over what a socket has received, up to its share of the turn.
    ///
    /// - Returns: Whether messages may be left.
    func takeMessages(from socket: OpenSocket) -> Bool {
        guard socket.isReceiving else { return false }
        switch socket.intake {
        case .none:
            return false
        case .messages(let handler):
            return takeMessages(from: socket) { handler(self, $0) }
        case .routed(let handler):
            return takeRoutedMessages(from: socket) { handler(self, $0.peer, $0.message) }
        case .batches(let batches):
            let mayHaveMore = takeMessages(from: socket) { batches.add($0, bytes: $0.sizeInBytes) }
            return finish(batches.deliver(), socket) && mayHaveMore
        case .routedBatches(let batches):
            let mayHaveMore = takeRoutedMessages(from: socket) { batches.add($0, bytes: $0.message.sizeInBytes) }
            return finish(batches.deliver(), socket) && mayHaveMore
        }
    }

    @inline(__always)
    private func takeMessages(from socket: OpenSocket, _ body: (Message) -> Void) -> Bool {
        let reception = socket.reception
        var share = Share(messages: options.messagesPerTurn, bytes: options.bytesPerTurn)
        while socket.reception == reception, share.hasRoom {
            guard let message = reader.message(from: socket.handle) else { return false }
            share.take(message)
            body(message)
        }
        return socket.isReceiving
    }

    @inline(__always)
    private func takeRoutedMessages(from socket: OpenSocket, _ body: (RoutedMessage) -> Void) -> Bool {
        let reception = socket.reception
        var share = Share(messages: options.messagesPerTurn, bytes: options.bytesPerTurn)
        while socket.reception == reception, share.hasRoom {
            guard let received = reader.routedMessage(from: socket.handle) else { return false }
            share.take(received.message)
            body(received)
        }
        return socket.isReceiving
    }

    /// Leaves a socket alone while its sequence is full.
    ///
    /// - Returns: Whether it is still to be read.
    private func finish(_ hasRoom: Bool, _ socket: OpenSocket) -> Bool {
        if !hasRoom { setStalled(true, socket.token) }
        return hasRoom
    }
}

/// What one socket may still take in a turn.
private struct Share {
    var messages: Int
    var bytes: Int

    var hasRoom: Bool { messages > 0 && bytes > 0 }

    mutating func take(_ message: Message) {
        messages -= 1
        bytes -= message.sizeInBytes
    }
}

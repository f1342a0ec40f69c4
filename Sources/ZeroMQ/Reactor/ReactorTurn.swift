import CZeroMQ

/// The loop: what the thread does from its start to its end.
extension Reactor {
    /// Runs until a stop is asked for, then closes everything.
    func run() {
        while true {
            waitForWork()
            serveSockets()
            runCommands()
            fireTimers()
            for handler in turnEndWork { handler(self) }
            if let flushing = executor.mailbox.stopFlushing { return windDown(flushing: flushing) }
        }
    }

    private func waitForWork() {
        if hasLeftovers || !executor.mailbox.fallAsleep() {
            pollSet.wait(0)
        } else {
            pollSet.wait(timeout())
        }
        if pollSet.isWoken { executor.mailbox.wake.consume() }
    }

    /// Milliseconds until the next timer, rounded up: a timer may be late, never early.
    private func timeout() -> Int {
        guard let deadline = timers.nextDeadline() else { return -1 }
        return Int((deadline - .now).roundedUpToMilliseconds)
    }

    private func serveSockets() {
        hasLeftovers = false
        pollSet.ready(into: &ready)
        for (socket, events) in ready {
            if events & Int16(ZMQ_POLLOUT) != 0 { announceRoom(on: socket) }
            if events & Int16(ZMQ_POLLIN) != 0, takeMessages(from: socket) { hasLeftovers = true }
        }
        ready.removeAll(keepingCapacity: true)
    }

    private func announceRoom(on socket: OpenSocket) {
        let work = socket.writableWork
        socket.writableWork = []
        pollSet.update(socket)
        for work in work { work(self) }
    }

    /// Hands over what a socket has received, up to its share of the turn.
    ///
    /// - Returns: Whether messages may be left.
    private func takeMessages(from socket: OpenSocket) -> Bool {
        guard socket.isReceiving else { return false }
        let reception = socket.reception
        var share = Share(messages: options.messagesPerTurn, bytes: options.bytesPerTurn)
        // A handler may pause or close its socket, or put another handler in its place; then this one's turn is over.
        while socket.reception == reception, share.hasRoom {
            guard takeMessage(from: socket, &share) else {
                deliverBatch(of: socket)
                return false
            }
        }
        deliverBatch(of: socket)
        return socket.isReceiving
    }

    /// Hands over one message.
    ///
    /// - Returns: Whether there was one.
    @inline(__always)
    private func takeMessage(from socket: OpenSocket, _ share: inout Share) -> Bool {
        switch socket.intake {
        case .none:
            return false
        case .messages(let handler):
            guard let message = reader.message(from: socket.handle) else { return false }
            share.take(message)
            handler(self, message)
        case .routed(let handler):
            guard let received = reader.routedMessage(from: socket.handle) else { return false }
            share.take(received.message)
            handler(self, received.peer, received.message)
        case .batches(let batches):
            guard let message = reader.message(from: socket.handle) else { return false }
            share.take(message)
            batches.add(message, bytes: message.sizeInBytes)
        case .routedBatches(let batches):
            guard let received = reader.routedMessage(from: socket.handle) else { return false }
            share.take(received.message)
            batches.add(received, bytes: received.message.sizeInBytes)
        }
        return true
    }

    private func deliverBatch(of socket: OpenSocket) {
        let hasRoom =
            switch socket.intake {
            case .none, .messages, .routed: true
            case .batches(let batches): batches.deliver()
            case .routedBatches(let batches): batches.deliver()
            }
        if !hasRoom { setStalled(true, socket.token) }
    }

    /// Runs what was submitted before this moment; what that submits waits for the next turn.
    func runCommands() {
        executor.mailbox.collect(into: &commands)
        guard !commands.isEmpty else { return }
        // Out of the actor for the time being: a command may call anything, also what touches this buffer.
        var batch: [Mailbox.Command] = []
        swap(&batch, &commands)
        for command in batch {
            switch command {
            case .work(let work): work(self)
            case .job(let job): job.runSynchronously(on: unownedExecutor)
            }
        }
        // After a flood the room it took is given back.
        if batch.capacity > 4096 { return }
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &commands)
    }

    private func fireTimers() {
        guard !timers.isEmpty else { return }
        let now = ContinuousClock.now
        let mark = timers.mark
        while let work = timers.popDue(at: now, upTo: mark) { work(self) }
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

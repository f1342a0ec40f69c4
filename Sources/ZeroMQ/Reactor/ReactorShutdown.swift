import CZeroMQ

/// The end, in the order that libzmq needs.
extension Reactor {
    /// Closes every socket, ends the thread and waits until it is gone.
    ///
    /// In this order: nothing new is taken in; what was submitted before is run; each socket gets its time to transmit
    /// what it has, is unbound and closed; the context ends; the thread is joined. When this returns, no thread and no
    /// descriptor of the reactor is left. It may be called any number of times and from anywhere, also from a task on
    /// this reactor; the first call's `flushing` holds. It is not cut short by cancellation.
    ///
    /// - Parameter flushing: How long unsent messages may take; a socket with a shorter `linger` keeps that.
    public nonisolated func shutDown(flushing: Duration = .seconds(2)) async {
        await withCheckedContinuation { continuation in
            executor.mailbox.stop(flushing: flushing, continuation)
        }
    }

    /// The last thing the thread does.
    func windDown(flushing: Duration) {
        isClosed = true
        runCommands()
        let deadline = ContinuousClock.now + max(flushing, .zero)
        emptyOutboxes(until: deadline)
        for socket in sockets.all {
            let linger = min(max(deadline - .now, .zero), socket.options.linger)
            _ = czmq_set_int(socket.handle, ZMQ_LINGER, linger.roundedUpToMilliseconds)
            for endpoint in socket.boundEndpoints { zmq_unbind(socket.handle, endpoint.text) }
            discard(socket)
        }
        // Waits until every socket is closed and has flushed, or its time is over.
        zmq_ctx_shutdown(context)
        while zmq_ctx_term(context) != 0, zmq_errno() == EINTR {}
        turnEndWork = []
        timers = TimerQueue()
        // Tasks that were waiting for a turn still get it; they find every socket closed.
        repeat { runCommands() } while !executor.mailbox.end()
    }

    /// Gives what waits for room in peers' queues its share of the time.
    private func emptyOutboxes(until deadline: ContinuousClock.Instant) {
        for socket in sockets.all {
            while !socket.outboxes.isEmpty, .now < deadline {
                tell(socket.outboxes.retry(at: .now) { $0.send(on: socket.handle, to: $1) }, of: socket)
                // A pause that no unread message cuts short; the thread has nothing else to do any more.
                guard let due = socket.outboxes.due else { break }
                zmq_poll(nil, 0, Int(max(due - .now, RetryPace.shortestPause).roundedUpToMilliseconds))
            }
        }
    }
}

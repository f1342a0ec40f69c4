import CZeroMQ

/// Shutting down in the order that libzmq needs.
extension Reactor {
    /// Closes all sockets, ends the thread and waits until it is gone.
    ///
    /// In this order: new work is refused; submitted work runs; each socket gets time to send its queue, is unbound and
    /// closed; the context ends; the thread is joined. When this returns, no thread and no descriptor of the reactor is
    /// left. It may be called any number of times and from anywhere, also from a task on this reactor; the first call's
    /// `flushing` counts. Cancellation does not shorten it.
    ///
    /// - Parameter flushing: How long sending may take; a socket with a shorter `linger` uses that.
    public nonisolated func shutDown(flushing: Duration = .seconds(2)) async {
        await withCheckedContinuation { continuation in
            executor.mailbox.stop(flushing: flushing, continuation)
        }
    }

    /// The last work of the thread.
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
        // Waits until every socket is closed and has flushed, or its time has run out.
        zmq_ctx_shutdown(context)
        while zmq_ctx_term(context) != 0, zmq_errno() == EINTR {}
        turnEndWork = []
        timers = TimerQueue()
        // Waiting tasks still get their turn; they find every socket closed.
        repeat { runCommands() } while !executor.mailbox.end()
    }

    /// Retries the outboxes until they are empty or the deadline passes.
    private func emptyOutboxes(until deadline: ContinuousClock.Instant) {
        for socket in sockets.all {
            while !socket.outboxes.isEmpty, .now < deadline {
                tell(socket.outboxes.retry(at: .now) { $0.send(on: socket.handle, to: $1) }, of: socket)
                // `zmq_poll` without items is a pause that no message ends early; the thread has nothing else to do.
                guard let due = socket.outboxes.due else { break }
                zmq_poll(nil, 0, Int(max(due - .now, RetryPace.shortestPause).roundedUpToMilliseconds))
            }
        }
    }
}

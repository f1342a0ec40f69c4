import CZeroMQ

/// Shutting down in the order that libzmq needs.
extension Reactor {
    /// Closes all sockets, and returns when the reactor's thread has ended.
    ///
    /// The steps are:
    /// 1. The reactor refuses new work, and runs the work that was submitted before.
    /// 2. The sockets are unbound and closed, and get time to send their queues. Tasks that wait for room end with
    ///    `closed`.
    /// 3. The context and the thread end.
    ///
    /// After the call, no thread and no descriptor of the reactor is left. Any task may call this method any number of
    /// times, also a task on this reactor. Only the first call's `flushing` is used. Cancelling the task does not end
    /// the call early.
    ///
    /// - Parameter flushing: The longest time for sending the queues; if a socket's `linger` is shorter, it applies
    ///   instead.
    public nonisolated func shutDown(flushing: Duration = .seconds(2)) async {
        await withCheckedContinuation { continuation in
            executor.mailbox.stop(flushing: flushing, continuation)
        }
    }

    /// Closes the sockets and the context, as the last work of the thread.
    func windDown(flushing: Duration) {
        isClosed = true
        runCommands()
        let deadline = ContinuousClock.now + max(flushing, .zero)
        for socket in sockets.all where socket.isOpen {
            let linger = min(max(deadline - .now, .zero), socket.options.linger)
            _ = czmq_set_int(socket.handle, ZMQ_LINGER, linger.roundedUpToMilliseconds)
            for endpoint in socket.boundEndpoints { zmq_unbind(socket.handle, endpoint.text) }
            discard(socket)
        }
        if hasAuthenticator { shared.leaveAuthentication() }
        shared.leave()
        // What the program gave the reactor may keep the reactor alive.
        (turnEndWork, departures) = ([], [:])
        timers = TimerQueue()
        // The jobs of waiting tasks still run; they find every socket closed.
        repeat { runCommands() } while !executor.mailbox.end()
    }
}

import CZeroMQ

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The reactor's loop.
extension Reactor {
    /// Runs turns until a stop request, then closes the sockets and the context.
    func loop() {
        while true {
            waitForWork()
            serveSockets()
            runCommands()
            fireTimers()
            for handler in turnEndWork { handler() }
            if let flushing = executor.mailbox.stopFlushing { return windDown(flushing: flushing) }
        }
    }

    private func waitForWork() {
        if !findsWorkSoon() {
            // Waiting messages end the wait immediately, because `zmq_poll` looks before it sleeps.
            pollSet.wait(executor.mailbox.fallAsleep() ? timeout() : 0)
        }
        if pollSet.isWoken { executor.mailbox.wake.consume() }
    }

    /// Polls for work without sleeping.
    ///
    /// The polling lasts for `busyPolling`, or until `awakeUntil` if that is later. It ends early when work arrives or
    /// when a timer is due.
    ///
    /// - Returns: Whether work was found.
    private func findsWorkSoon() -> Bool {
        guard options.busyPolling > .zero || awakeUntil != nil else { return false }
        let now = ContinuousClock.now
        if let until = awakeUntil, until <= now { awakeUntil = nil }
        var end = max(now + options.busyPolling, awakeUntil ?? now)
        if let deadline = timers.nextDeadline() { end = min(end, deadline) }
        repeat {
            pollSet.wait(0)
            if pollSet.isReady || executor.mailbox.hasNews { return true }
            // The thread that is about to answer may need this processor.
            sched_yield()
        } while ContinuousClock.now < end
        return false
    }

    /// The milliseconds until the next timer, rounded up so that no timer is early; -1 without a timer.
    private func timeout() -> Int {
        guard let deadline = timers.nextDeadline() else { return -1 }
        return Int((deadline - .now).roundedUpToMilliseconds)
    }

    private func serveSockets() {
        pollSet.ready(into: &ready)
        for (target, events) in ready {
            switch target {
            case .socket(let socket):
                if events & Int16(ZMQ_POLLOUT) != 0 { announceRoom(on: socket) }
                if events & Int16(ZMQ_POLLIN) != 0 { takeMessages(from: socket) }
            case .monitor(let socket):
                takeEvents(of: socket)
            case .descriptor(let watch):
                serve(watch, events)
            }
        }
        ready.removeAll(keepingCapacity: true)
    }

    private func serve(_ watch: DescriptorWatch, _ events: Int16) {
        guard watch.isActive else { return }
        if events & Int16(ZMQ_POLLERR) != 0, watch.isClosed {
            unwatch(descriptor: watch.descriptor)
        } else {
            watch.handler()
        }
    }

    private func announceRoom(on socket: OpenSocket) {
        moveLine(of: socket)
        guard socket.line.isEmpty else { return }
        let work = socket.writableWork
        socket.writableWork = []
        pollSet.update(socket)
        for work in work { work() }
    }

    /// Runs the commands submitted before this call; commands that they submit wait for the next turn.
    func runCommands() {
        executor.mailbox.collect(into: &commands)
        guard !commands.isEmpty else { return }
        // The commands are moved out of the actor's buffer while they run, because a command may call code that uses
        // the buffer.
        var batch: [Mailbox.Command] = []
        swap(&batch, &commands)
        for command in batch {
            switch command {
            case .work(let work): work(self)
            case .job(let job): job.runSynchronously(on: unownedExecutor)
            }
        }
        // A buffer that has become very large is freed.
        if batch.capacity > 4096 { return }
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &commands)
    }

    private func fireTimers() {
        guard !timers.isEmpty else { return }
        let now = ContinuousClock.now
        let mark = timers.mark
        while let work = timers.popDue(at: now, upTo: mark) { work() }
    }
}

import CZeroMQ
import ForgeLocks

/// A libzmq context with its I/O threads, which several reactors may share; the last of them ends it.
final class SharedContext: Sendable {
    private struct State {
        var users = 1
        /// Whether one of the reactors has an authenticator: it answers for all sockets of the context.
        var hasAuthenticator = false
    }

    /// The context; libzmq's functions may use it on any thread.
    nonisolated(unsafe) let pointer: UnsafeMutableRawPointer
    private let state = Guarded(State())

    /// Makes a context for one reactor.
    init(_ options: ReactorOptions) throws(ZeroMQError) {
        guard let pointer = zmq_ctx_new() else {
            throw Errors.tooManyDescriptors("The ZeroMQ context could not be made")
        }
        self.pointer = pointer
        for (option, name, value) in [
            (ZMQ_IO_THREADS, "ioThreads", options.ioThreads),
            (ZMQ_MAX_SOCKETS, "maximumSockets", options.maximumSockets),
        ] {
            guard let number = Int32(exactly: value), value > 0, zmq_ctx_set(pointer, option, number) == 0 else {
                zmq_ctx_term(pointer)
                throw Errors.reactorOption(name, value)
            }
        }
    }

    /// Adds a reactor; false if the last one has ended the context.
    func join() -> Bool {
        state.withLock { state in
            guard state.users > 0 else { return false }
            state.users += 1
            return true
        }
    }

    /// Removes a reactor whose sockets are closed.
    ///
    /// The last one waits until each socket has sent its queue, or until its linger time is over.
    func leave() {
        let isLast = state.withLock { state in
            state.users -= 1
            return state.users == 0
        }
        guard isLast else { return }
        zmq_ctx_shutdown(pointer)
        while zmq_ctx_term(pointer) != 0, zmq_errno() == EINTR {}
    }

    /// Takes the place of the context's authenticator; false if it is taken.
    func takeAuthentication() -> Bool {
        state.withLock { state in
            defer { state.hasAuthenticator = true }
            return !state.hasAuthenticator
        }
    }

    /// Gives the place of the authenticator back.
    func leaveAuthentication() { state.withLock { $0.hasAuthenticator = false } }
}

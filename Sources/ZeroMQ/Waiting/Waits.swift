/// A task that waits on a reactor.
struct WaitID: Hashable, Sendable {
    fileprivate let number: UInt64
}

/// The tasks that wait on a reactor; each is resumed exactly once.
struct Waits {
    private struct Wait {
        let socket: SocketToken
        let timer: TimerID
        let continuation: CheckedContinuation<ZeroMQError?, Never>
    }

    private var waits: [WaitID: Wait] = [:]
    private var latest: UInt64 = 0

    /// Whether no task waits.
    var isEmpty: Bool { waits.isEmpty }

    mutating func nextID() -> WaitID {
        latest += 1
        return WaitID(number: latest)
    }

    mutating func add(
        _ id: WaitID,
        on socket: SocketToken,
        until timer: TimerID,
        _ continuation: CheckedContinuation<ZeroMQError?, Never>
    ) {
        waits[id] = Wait(socket: socket, timer: timer, continuation: continuation)
    }

    /// Resumes the task with an error, or with nil for success; does nothing if the task has been resumed.
    ///
    /// - Returns: The timer of the wait's deadline and its socket, which must both forget it.
    mutating func end(_ id: WaitID, _ error: ZeroMQError?) -> (timer: TimerID, socket: SocketToken)? {
        guard let wait = waits.removeValue(forKey: id) else { return nil }
        wait.continuation.resume(returning: error)
        return (wait.timer, wait.socket)
    }
}

extension Reactor {
    /// What a task finds that is about to wait.
    enum Beginning {
        /// There is nothing to wait for: it has come already, or never will.
        case over(ZeroMQError?)
        /// ``Reactor/end(_:_:)`` will be called with the wait's id.
        case waits
    }

    /// Suspends the calling task until what it waits for has come, the time is over, the task is cancelled, or the socket
    /// is closed.
    ///
    /// - Parameters:
    ///   - socket: The socket; the wait ends when it is closed.
    ///   - time: The longest time to wait.
    ///   - late: Makes the error for the end of this time.
    ///   - begin: Called once, at once.
    /// - Throws: `late`, ``ZeroMQError`` with code `cancelled` or `closed`, or the error with which the wait ends.
    func wait<Kind>(
        on socket: Socket<Kind>,
        within time: Duration,
        late: @escaping () -> ZeroMQError,
        _ begin: (OpenSocket, WaitID) -> Beginning
    ) async throws(ZeroMQError) {
        let id = waits.nextID()
        let error: ZeroMQError? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard let open = sockets[socket.token] else {
                    return continuation.resume(returning: Errors.closed("\(socket)"))
                }
                switch begin(open, id) {
                case .over(let error): continuation.resume(returning: error)
                case .waits:
                    let timer = schedule(at: .now + time) { self.end(id, late()) }
                    waits.add(id, on: socket.token, until: timer, continuation)
                    open.waits.insert(id)
                }
            }
        } onCancel: {
            // The reactor's thread runs this closure after the block above. So the wait has begun, even if the
            // cancellation came earlier.
            submit { $0.end(id, Errors.waitCancelled) }
        }
        if let error { throw error }
    }

    /// Ends a wait with an error, or with nil for success; does nothing if the wait has ended.
    func end(_ id: WaitID, _ error: ZeroMQError?) {
        guard let (timer, socket) = waits.end(id, error) else { return }
        cancel(timer)
        sockets[socket]?.forget(id)
    }
}

import ForgeBusProtocol
import ForgeLocks
import Logging
import ZeroMQ

/// The way from a client, its runs and its watches to their connection.
///
/// The connection, and the thread it lives on, is opened by the first who needs it, and closed by ``close()`` or with the
/// last who could use it. All state is behind one lock.
final class ClientLink: Sendable {
    private enum State {
        case unopened
        case open(ClientLoop)
        /// Each call of ``ClientLink/close()`` waits until the loop is gone, if there was one.
        case closed(ClientLoop?)
    }

    /// What the connection is, for those who look on.
    let board = ConnectionBoard()
    private let settings: ClientLoop.Settings
    private let logger: Logger
    private let state = Guarded(State.unopened)

    init(_ settings: ClientLoop.Settings, logger: Logger) {
        self.settings = settings
        self.logger = logger
    }

    deinit {
        // Nobody is left who could wait for that.
        if case .open(let loop) = state.withLock({ $0 }) { Task { await loop.close() } }
    }

    /// The connection's loop, opened if need be.
    ///
    /// - Throws: `BusError` with code `closed` after ``close()``, and with code `unreachable` where the operating system has
    ///   no room for the loop; the next one tries again.
    func loop(for id: RequestID) throws(BusError) -> ClientLoop {
        try state.withLock { state throws(BusError) in
            switch state {
            case .open(let loop): return loop
            case .closed: throw .closed(id)
            case .unopened:
                do throws(ZeroMQError) {
                    let loop = try ClientLoop(settings, board, logger: logger)
                    state = .open(loop)
                    return loop
                } catch {
                    throw .unreachable(error)
                }
            }
        }
    }

    /// The loop, if anybody has needed it.
    var openLoop: ClientLoop? { if case .open(let loop) = state.withLock({ $0 }) { loop } else { nil } }

    /// Closes the connection; everything that waits ends, and nothing opens it again.
    func close() async {
        let loop: ClientLoop? = state.withLock { state in
            switch state {
            case .unopened: state = .closed(nil)
            case .open(let loop): state = .closed(loop)
            case .closed: break
            }
            if case .closed(let loop) = state { return loop }
            return nil
        }
        await loop?.close()
        board.show(.closed)
    }
}

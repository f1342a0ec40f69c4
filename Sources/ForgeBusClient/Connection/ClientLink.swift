import ForgeBusProtocol
import ForgeLocks
import Logging
import ZeroMQ

/// Gives a client, its runs and its watches their shared connection.
///
/// The first use opens the connection and starts its thread. Both end with ``close()``, or when the link is released.
/// One lock protects all state.
final class ClientLink: Sendable {
    private enum State {
        case unopened
        case open(Resident<ClientLoop>)
        /// The client was closed. Each call of ``ClientLink/close()`` waits for the end of this loop; nil if the client
        /// never had a loop.
        case closed(Resident<ClientLoop>?)
    }

    /// Passes the state of the connection to the tasks that read it.
    let board = ConnectionBoard()
    private let settings: ClientLoop.Settings
    /// The reactor that other links use, too; nil if the link's loop makes its own.
    private let shared: Reactor?
    private let logger: Logger
    private let state = Guarded(State.unopened)

    init(_ settings: ClientLoop.Settings, on shared: Reactor? = nil, logger: Logger) {
        (self.settings, self.shared, self.logger) = (settings, shared, logger)
    }

    /// Makes an unopened link with the same settings.
    func sibling() -> ClientLink { ClientLink(settings, on: shared, logger: logger) }

    deinit {
        // A `deinit` cannot wait, so a task closes the loop.
        if case .open(let loop) = state.withLock({ $0 }) { Task { await loop.close() } }
    }

    /// Returns the connection's loop; the first call makes it.
    ///
    /// - Parameter id: The id of the caller's request, for the error.
    /// - Returns: The open loop.
    /// - Throws: `BusError` with code `closed` after ``close()``, or `unreachable` if the operating system lacks the
    ///   resources for a loop. After `unreachable`, the next call tries again.
    func loop(for id: RequestID) throws(BusError) -> Resident<ClientLoop> {
        try state.withLock { state throws(BusError) in
            switch state {
            case .open(let loop): return loop
            case .closed: throw Errors.closedNoEffect(id)
            case .unopened:
                do throws(ZeroMQError) {
                    let loop = try ClientLoop.start(settings, board, on: shared, logger: logger)
                    state = .open(loop)
                    return loop
                } catch {
                    throw Errors.unreachable(error)
                }
            }
        }
    }

    /// The open loop; nil before the first use, and after ``close()``.
    var openLoop: Resident<ClientLoop>? { if case .open(let loop) = state.withLock({ $0 }) { loop } else { nil } }

    /// Closes the connection permanently; all waiting calls and watches end.
    func close() async {
        let loop: Resident<ClientLoop>? = state.withLock { state in
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

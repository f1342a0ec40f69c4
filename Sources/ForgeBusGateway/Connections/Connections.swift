import ForgeLocks
import Logging
import NIOCore
import NIOSSL

/// The connections of a gateway, from their beginning to their end.
///
/// It carries out what a ``ConnectionBook`` decides. When the time to end is over, the gateway closes all connections here,
/// and does not cancel the tasks of Hummingbird's server: a cancelled server drops the connections that it has accepted
/// and not yet served, and SwiftNIO ends the process when a connection is dropped.
final class Connections: Sendable {
    typealias Book = ConnectionBook<ObjectIdentifier>

    private struct State {
        var book: Book
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Those who want to know when the client of a connection leaves, or when senders may have lost their access.
        var stays: [ObjectIdentifier: AsyncStream<Void>.Continuation] = [:]
        /// The connections whose clients send nothing more.
        var left: Set<ObjectIdentifier> = []
        var isEnding = false
    }

    private let state: Guarded<State>
    private let logger: Logger

    init(_ limits: Book.Limits, logger: Logger) {
        state = Guarded(State(book: Book(limits)))
        self.logger = logger
    }

    /// How many connections are open, and how many the limits have closed or refused.
    var counts: (open: Int, turnedAway: Int) { state.withLock { ($0.book.count, $0.book.turnedAway) } }

    // MARK: Beginning and end

    /// Whether a new connection finds a place without anything being known of it.
    func isOpen(to channel: any Channel) -> Bool {
        let address = channel.remoteAddress.flatMap { ClientAddress($0) }
        return state.withLock { $0.book.isOpen(to: address, at: .now) }
    }

    /// Finds a place for a new connection.
    func open(_ channel: any Channel, _ knock: Book.Knock) -> Book.Place {
        let id = ObjectIdentifier(channel)
        let address = channel.remoteAddress.flatMap { ClientAddress($0) }
        let (opening, closed) = state.withLock { state -> (Book.Opening, (any Channel)?) in
            guard !state.isEnding else { return (Book.Opening(place: .none), nil) }
            let opening = state.book.open(id, from: address, knock, at: .now)
            if opening.isOpen { state.channels[id] = channel }
            return (opening, opening.givesWay.flatMap { state.channels[$0] })
        }
        closed?.cut()
        tell(opening.began, on: channel.eventLoop)
        // The closure keeps the channel, so that no other one gets its identifier before it is forgotten.
        if opening.isOpen { channel.closeFuture.whenComplete { [self] _ in forget(channel) } }
        return opening.place
    }

    private func forget(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { state in
            state.book.close(id)
            state.channels[id] = nil
            state.left.remove(id)
            return state.stays.removeValue(forKey: id)
        }?.finish()
    }

    /// Opens no more connections.
    func end() { state.withLock { $0.isEnding = true } }

    /// Closes all connections.
    func closeAll() {
        let channels = state.withLock { Array($0.channels.values) }
        for channel in channels { channel.cut() }
    }

    // MARK: Requests

    /// Whether the gateway answers only probes on the connection.
    func isReserve(_ channel: any Channel) -> Bool { state.withLock { $0.book.isReserve(ObjectIdentifier(channel)) } }

    /// A connection begins to send a request, or has got the answer to its last one.
    func becameQuiet(_ channel: any Channel) { state.withLock { $0.book.becameQuiet(ObjectIdentifier(channel)) } }

    /// A request has arrived completely.
    func becameBusy(_ channel: any Channel) { state.withLock { $0.book.becameBusy(ObjectIdentifier(channel)) } }

    /// The trusted proxy has sent a request for a client at `address`.
    ///
    /// - Returns: Whether the address has not reached its limit.
    func carries(_ channel: any Channel, for address: ClientAddress?) -> Bool {
        let (isAdmitted, began) = state.withLock {
            $0.book.carries(ObjectIdentifier(channel), for: address, at: .now)
        }
        tell(began, on: channel.eventLoop)
        return isAdmitted
    }

    // MARK: Stays

    /// Begins a long wait or a stream on a connection, which has one at a time.
    ///
    /// - Returns: A value each time the sender may have lost its access. The sequence ends when the client leaves.
    func stay(on channel: any Channel) -> AsyncStream<Void> {
        let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = ObjectIdentifier(channel)
        let hasLeft = state.withLock { state in
            guard state.channels[id] != nil, !state.left.contains(id) else { return true }
            state.stays[id] = continuation
            return false
        }
        if hasLeft { continuation.finish() }
        return changes
    }

    /// The client of a connection sends nothing more.
    func left(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { state in
            if state.channels[id] != nil { state.left.insert(id) }
            return state.stays.removeValue(forKey: id)
        }?.finish()
    }

    /// Has all long waits and streams check whether their senders are still let in.
    func accessChanged() {
        let stays = state.withLock { Array($0.stays.values) }
        for stay in stays { stay.yield() }
    }

    // MARK: Limits

    /// Logs that limits are reached, and later that they are kept again.
    private func tell(_ began: [Book.Limit], on loop: any EventLoop) {
        guard !began.isEmpty else { return }
        for limit in began {
            logger.warning(
                "too many connections: those that have sent nothing for the longest are closed for new ones",
                metadata: metadata(of: limit)
            )
        }
        lookLater(on: loop)
    }

    private func lookLater(on loop: any EventLoop) {
        loop.scheduleTask(in: TimeAmount(Book.calm)) { [self] in
            let (ended, isReached) = state.withLock { ($0.book.ended(at: .now), $0.book.isReached) }
            for limit in ended {
                logger.notice("no connection had to be closed for another for some time", metadata: metadata(of: limit))
            }
            if isReached { lookLater(on: loop) }
        }
    }

    private func metadata(of limit: Book.Limit) -> Logger.Metadata {
        let limits = state.withLock { $0.book.limits }
        return switch limit {
        case .all: ["limit": "connections", "connections": "\(limits.all - limits.reserve)"]
        case .address(let address):
            ["limit": "connections_per_address", "connections": "\(limits.perAddress)", "address": "\(address)"]
        }
    }
}

extension Channel {
    /// Closes the connection at once; TLS would first wait for the other side.
    fileprivate func cut() {
        eventLoop.execute {
            let tls = try? self.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            if let tls { tls.close(promise: nil) } else { self.close(promise: nil) }
        }
    }
}

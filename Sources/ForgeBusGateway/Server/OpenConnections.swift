import ForgeLocks
import Hummingbird
import NIOCore

/// The connections that have sent a request and are still open.
///
/// When the time to end is over, the gateway closes them, and does not cancel the tasks of Hummingbird's server: a
/// cancelled server drops the connections that it has accepted and not yet served, and SwiftNIO ends the process when a
/// connection is dropped.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let state = Guarded(State())

    /// Adds a connection until it closes; after ``closeAll()``, closes it.
    func add(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let (isNew, isLate) = state.withLock { state in
            (!state.isClosed && state.channels.updateValue(channel, forKey: id) == nil, state.isClosed)
        }
        if isLate { channel.close(promise: nil) }
        guard isNew else { return }
        channel.closeFuture.whenComplete { [self] _ in _ = state.withLock { $0.channels.removeValue(forKey: id) } }
    }

    /// Closes all connections, and those that are added later.
    func closeAll() {
        let channels = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
    }
}

/// A request, with the connection that it came by.
struct ConnectionContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

import ForgeBusProtocol
import ZeroMQ

/// How long a client waits before it connects again.
///
/// libzmq doubles the wait up to a longest time; its jitter is shorter than the first wait. So all clients of a worker
/// that has gone would come back together after the longest time. To prevent this, each client draws both times at
/// random.
struct ReconnectPace: Hashable {
    /// The wait after a lost connection; it doubles.
    let first: Duration
    /// The longest wait.
    let longest: Duration

    /// Draws a pace at random: a first wait of 100 to 300 ms, and a longest wait of 5 to 10 s.
    init(using generator: inout some RandomNumberGenerator) {
        first = .milliseconds(Int.random(in: 100...300, using: &generator))
        longest = .milliseconds(Int.random(in: 5_000...10_000, using: &generator))
    }

    /// The pauses between rounds of several endpoints.
    var pauses: Backoff { Backoff(from: first, upTo: longest) }

    /// Sets the pace in the options of a socket.
    func apply(to options: inout SocketOptions) {
        options.reconnectInterval = first
        options.maximumReconnectInterval = longest
    }
}

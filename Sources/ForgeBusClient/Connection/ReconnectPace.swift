import ForgeBusProtocol
import ZeroMQ

/// How fast a client connects again.
///
/// libzmq doubles the wait between two attempts up to a maximum, and adds less than the first wait as jitter. At the
/// maximum, all clients of a worker that stopped would return at almost the same time. So each client draws both times
/// at random.
struct ReconnectPace: Hashable {
    /// The first wait after a lost connection; later waits double.
    let first: Duration
    /// The longest wait.
    let longest: Duration

    /// Draws a random pace: a first wait of 100 to 300 ms, and a longest wait of 5 to 10 s.
    init(using generator: inout some RandomNumberGenerator) {
        first = .milliseconds(Int.random(in: 100...300, using: &generator))
        longest = .milliseconds(Int.random(in: 5_000...10_000, using: &generator))
    }

    /// The pauses between attempts at several endpoints, after the first round.
    var pauses: Backoff { Backoff(from: first, upTo: longest) }

    /// Sets this pace in the options of a socket that is not open yet.
    func apply(to options: inout SocketOptions) {
        options.reconnectInterval = first
        options.maximumReconnectInterval = longest
    }
}

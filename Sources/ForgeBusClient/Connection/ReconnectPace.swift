import ForgeBusProtocol
import ZeroMQ

/// The pauses between a client's attempts to connect.
///
/// libzmq doubles the wait before each attempt up to a maximum, and adds a random time shorter than the first wait.
/// While a worker is stopped, the waits of all its clients reach the maximum. With equal maximums, the clients would
/// all connect at almost the same time. So each client draws both its first and its longest wait at random.
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

    /// The pauses between attempts, for a caller that connects again without libzmq.
    var pauses: Backoff { Backoff(from: first, upTo: longest) }

    /// Writes this pace into the options of a socket that is not open yet.
    func apply(to options: inout SocketOptions) {
        options.reconnectInterval = first
        options.maximumReconnectInterval = longest
    }
}

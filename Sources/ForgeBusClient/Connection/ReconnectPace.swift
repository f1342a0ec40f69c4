import ForgeBusProtocol
import ZeroMQ

/// How fast a client tries to connect again.
///
/// libzmq waits, doubles that up to a longest time, and adds less than the first wait as jitter: at the longest time all
/// clients of a worker that went away would come back together. So each client draws both times for itself.
struct ReconnectPace: Hashable {
    /// The wait after a lost connection; it doubles.
    let first: Duration
    /// The longest wait.
    let longest: Duration

    /// A pace drawn by chance: 100 to 300 ms at first, 5 to 10 s at most.
    init(using generator: inout some RandomNumberGenerator) {
        first = .milliseconds(Int.random(in: 100...300, using: &generator))
        longest = .milliseconds(Int.random(in: 5_000...10_000, using: &generator))
    }

    /// The pauses between rounds of several endpoints.
    var pauses: Backoff { Backoff(from: first, upTo: longest) }

    /// Sets it on a socket that is to be opened.
    func apply(to options: inout SocketOptions) {
        options.reconnectInterval = first
        options.maximumReconnectInterval = longest
    }
}

import ForgeBusClient
import ForgeBusProtocol
import ZeroMQ

/// Prints on standard error that no worker answers, so that the user does not think that the command hangs.
struct ConnectionNotice {
    let client: BusClient
    let endpoint: Endpoint
    let patience: Duration

    /// How long to wait for a connection before the notice; a worker that is just starting often accepts it by then.
    private static let delay = Duration.seconds(1)

    /// Prints the notice if the client could not connect within a second; returns when it is connected.
    ///
    /// A connection that is still being made is no reason for the notice, because a host may be far away.
    func tell() async {
        let begin = ContinuousClock.now
        guard patience > Self.delay, (try? await Task.sleep(for: Self.delay)) != nil else { return }
        while !client.isConnected {
            if client.isUnanswered { return complain(after: begin.duration(to: .now)) }
            guard (try? await Task.sleep(for: .milliseconds(200))) != nil else { return }
        }
    }

    private func complain(after time: Duration) {
        let rest = Int(((patience - time) / .seconds(1)).rounded())
        guard rest > 0 else { return }
        let end = "the command tries for \(rest) s more (--patience)"
        Terminal.complain(["no worker answers at \(endpoint) yet; \(end)"])
    }
}

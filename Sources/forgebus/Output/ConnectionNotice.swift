import ForgeBusClient
import ForgeBusProtocol
import ZeroMQ

/// Prints on standard error that no worker answers, so that the user does not think that the command hangs.
struct ConnectionNotice {
    let client: BusClient
    let endpoint: Endpoint
    let patience: Duration

    /// How long to wait for a connection before the notice; a worker that is starting often needs less time.
    private static let delay = Duration.seconds(1)

    /// Prints the notice if, after the first second, the client's latest attempt to connect has failed.
    ///
    /// The method returns after the notice, or when the client is connected. An attempt that still runs has not failed:
    /// the worker's host may be far away.
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

import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus ping`, with its arguments and options.
struct PingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping",
        abstract: "Checks whether the worker responds, and shows its state and the time of the round trip.",
        discussion: """
            Example: forgebus ping

            Exits 0 only if the worker is ready, and 75 while it starts or drains.
            """
    )

    @OptionGroup var client: ClientOptions

    func run() async throws {
        try await client.ask(.one) { bus, output throws(BusError) in
            let clock = ContinuousClock()
            let start = clock.now
            let pong = try await bus.ping()
            let time = start.duration(to: clock.now)
            output.show(
                "\(pong.worker) is \(pong.state.rawValue) (\(time.readable))",
                [
                    "worker": .string(pong.worker), "state": .string(pong.state.rawValue),
                    "time_us": .integer(time.microseconds),
                ]
            )
            return pong.state == .ready ? .done : .tryAgain
        }
    }
}

import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// `forgebus ping`.
struct PingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ping",
        abstract: "Asks whether the worker lives, and what it takes."
    )

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let pong = try await client.ask { bus throws(BusError) in try await bus.ping() }
        let time = start.duration(to: clock.now)
        client.output.show(
            "\(pong.worker) is \(pong.state.rawValue) (\(time.readable))",
            [
                "worker": .string(pong.worker), "state": .string(pong.state.rawValue),
                "time_us": .integer(time.microseconds),
            ]
        )
    }
}

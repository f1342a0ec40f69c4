import ArgumentParser
import ForgeBusClient
import ForgeBusConfiguration
import ForgeBusProtocol

/// The command `forgebus mode`, with its arguments and options.
struct ModeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mode",
        abstract: "Tells monitors which screen is showing; monitors that exclude the screen are not evaluated.",
        discussion: """
            Example: forgebus mode shelf --screen checkout --ttl 90s

            A screen is a name for the current situation. It counts as showing for the time of --ttl, so that a \
            program that crashes does not exclude monitors for ever. Notifications that arrive meanwhile are evaluated \
            afterwards.
            """
    )

    @Argument(help: "The name of a monitor, or a pattern of names.", transform: Words.pattern)
    var monitors: NamePattern

    @Option(help: "The name of the screen that is showing, 1 to 256 bytes.")
    var screen: String?

    @Flag(help: "Tells the monitors that no screen is showing any more.")
    var clear = false

    @Option(
        help: ArgumentHelp(
            "With --screen: how long the screen counts as showing, such as 90s or 2h, at most 7d.",
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var ttl: Duration?

    @Option(
        help: "The request's id. If you send the same request again with this id, you get the first answer again.",
        transform: Words.requestID
    )
    var id: RequestID?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard (screen == nil) == clear else { throw ValidationError("Give either --screen or --clear.") }
        if screen != nil, ttl == nil {
            throw ValidationError("--screen needs --ttl: how long the screen counts as showing, such as 90s.")
        }
        if let screen, !(1...WireLimits.screenSizeInBytes).contains(screen.utf8.count) {
            let limit = WireLimits.screenSizeInBytes
            throw ValidationError("--screen must have 1 to \(limit) bytes; found \(screen.utf8.count).")
        }
        try TimeSpan.check(ttl, "--ttl", from: .milliseconds(1), to: .seconds(604_800))
    }

    func run() async throws {
        let request = id ?? .random()
        try await client.ask(.one, id: request) { bus, output throws(BusError) in
            // The protocol demands a time even where no screen is showing; it has no effect then.
            let time = ttl ?? .seconds(1)
            let report = try await bus.setMode(screen, of: monitors, for: time, id: request)
            let count = report.details["monitors"]?.integer ?? 0
            let what = screen.map { "the screen \(Printable.quoted($0))" } ?? "no screen"
            let end = screen == nil ? "" : ", for \(DurationText.text(of: time))"
            let line = "told \(count == 1 ? "1 monitor" : "\(count) monitors") that \(what) is showing\(end)"
            let call = client.command(["list", "monitors"])
            let none = "no monitor matches \"\(monitors)\"; to list all monitors: \(call)"
            output.show(count == 0 ? none : line, report.json)
            return .done
        }
    }
}

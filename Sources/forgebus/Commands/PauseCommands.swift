import ArgumentParser
import ForgeBusClient
import ForgeBusConfiguration
import ForgeBusProtocol

/// The command `forgebus pause`, with its arguments and options.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pauses a pipeline or a monitor: it starts nothing new until the pause ends.",
        discussion: """
            Example: forgebus pause pipeline deploy "incident 4711" --for 2h

            The runs of a paused pipeline get no slot: new runs are accepted and wait, runs that execute continue until \
            they end or wait for something, and gates can be decided. A paused monitor begins no cycle; after the \
            pause it evaluates the notifications that came meanwhile. A monitor needs --for. A second pause replaces \
            the first one.
            """
    )

    @OptionGroup var argument: PauseArgument

    @Argument(help: "Why you pause the pipeline or monitor, as a text for people.")
    var reason: String = ""

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            """
            How long the pause lasts, such as 30m or 2h, at most 7d. A monitor needs this option; without it, a \
            pipeline stays paused until somebody resumes it.
            """,
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var time: Duration?

    @Option(
        help: "The request's id. If you send the same request again with this id, you get the first answer again.",
        transform: Words.requestID
    )
    var id: RequestID?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try TimeSpan.check(time, "--for", from: .milliseconds(1), to: WireLimits.timeToLive)
        if argument.kind == .monitor, time == nil {
            throw Errors.endlessPause
        }
    }

    func run() async throws {
        let (request, subject) = (id ?? .random(), argument.subject)
        try await client.ask(.one, id: request) { bus, output throws(BusError) in
            let report = try await bus.pause(subject, for: time, reason: reason, id: request)
            let end = time.map { " for \(DurationText.text(of: $0))" } ?? ""
            let lines = [
                "\(subject) is paused\(end)\(PauseArgument.load(report))",
                "To resume it: \(client.command(["resume"] + argument.words))",
            ]
            output.show(lines, report.json)
            return .done
        }
    }
}

/// The command `forgebus resume`, with its arguments and options.
struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resumes a paused pipeline or monitor; the runs or notifications that waited are processed.",
        discussion: """
            Example: forgebus resume pipeline deploy

            Exits 2 if the pipeline or monitor was not paused. `forgebus status` lists what is paused. To resume a \
            parked run, use `forgebus redrive`.
            """
    )

    @OptionGroup var argument: PauseArgument

    @Option(
        help: "The request's id. If you send the same request again with this id, you get the first answer again.",
        transform: Words.requestID
    )
    var id: RequestID?

    @OptionGroup var client: ClientOptions

    func run() async throws {
        let (request, subject) = (id ?? .random(), argument.subject)
        try await client.ask(.one, id: request) { bus, output throws(BusError) in
            let report = try await bus.resume(subject, id: request)
            guard report.details["was_paused"]?.bool != false else {
                output.show("\(subject) was not paused", report.json)
                return .cameToNothing
            }
            output.show("\(subject) is resumed\(PauseArgument.load(report, isResumed: true))", report.json)
            return .done
        }
    }
}

/// The pipeline or monitor on the command line of `pause` and `resume`.
struct PauseArgument: ParsableArguments {
    @Argument(help: "pipeline or monitor.", transform: Self.kind)
    var kind: PauseSubject.Kind

    @Argument(help: "The name of the pipeline or monitor.", transform: Words.name)
    var name: Name

    var subject: PauseSubject { PauseSubject(kind, name) }
    var words: [String] { [kind.rawValue, name.text] }

    private static func kind(_ word: String) throws -> PauseSubject.Kind {
        if let kind = PauseSubject.Kind(rawValue: word) { return kind }
        throw Errors.pauseOfNoKind(word)
    }

    /// The end of a message: how many runs execute, and how many wait or begin; empty if both numbers are zero.
    static func load(_ report: StateReport, isResumed: Bool = false) -> String {
        func runs(_ key: String, _ one: String, _ many: String) -> String? {
            let count = report.details[key]?.integer ?? 0
            return count == 0 ? nil : count == 1 ? "1 run \(one)" : "\(count) runs \(many)"
        }
        let one = "that waited begins or continues as soon as it gets a slot"
        let many = "that waited begin or continue as soon as they get a slot"
        let executing =
            isResumed
            ? runs("executing", "executes", "execute") : runs("executing", "still executes", "still execute")
        let queued = isResumed ? runs("queued", one, many) : runs("queued", "waits", "wait")
        let parts = [executing, queued].compactMap(\.self)
        return parts.isEmpty ? "" : "; \(parts.joined(separator: ", "))"
    }
}

import ArgumentParser
import ForgeBusFleet
import ForgeBusProtocol

/// The command `forgebus fleet`, which asks all workers of an inventory.
struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "Asks all workers of an inventory, and shows the answer of each.",
        discussion: """
            Example: forgebus fleet notify policy.password-age

            Every worker of the inventory is in every answer: one that does not answer is silent. Exit codes: 0 all are as \
            they should be; 1 a monitor or run failed; 75 none failed, but a worker is silent, or something is pending, \
            paused, missing, not yet evaluated or unknown; 77 a worker refused, or is not the one that the inventory \
            names, and nothing worse; 3 nowhere a monitor that is asked about, or no worker was chosen; 78 the inventory is wrong.
            """,
        subcommands: [
            FleetNotifyCommand.self, FleetMonitorsCommand.self, FleetRunCommand.self, FleetWorkersCommand.self,
        ]
    )
}

/// The command `forgebus fleet notify`.
struct FleetNotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Reports a change to all workers, and waits until their monitors have evaluated it.",
        discussion: "Example: forgebus fleet notify policy.password-age --until 10m"
    )

    @Argument(help: "The topic that changed: tokens joined by dots.", transform: Words.name)
    var topic: Name

    @Argument(help: "A hint for the actions of the monitors; the command sends it unchanged.")
    var body: String?

    @Option(
        help: ArgumentHelp(
            "How long the cycles may take, such as 30s or 5m; then their monitors are pending. 1m by default.",
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var deadline: Duration = .seconds(60)

    @OptionGroup var persistence: FleetPersistence
    @OptionGroup var options: FleetOptions

    func validate() throws {
        try TimeSpan.check(deadline, "--deadline", from: .milliseconds(1), to: .seconds(31_536_000))
    }

    func run() async throws {
        let began = Age.now
        try await options.ask(columns: .monitors) { fleet, selection, progress async throws(BusError) in
            try await fleet.notify(
                Topic(topic),
                bytes: Array((body ?? "").utf8),
                on: selection,
                within: deadline,
                until: persistence.until,
                progress: progress
            )
        } after: { report in
            // Where all have evaluated the change, what is newer than this moment is no older than what they have evaluated.
            let moment = report.outcome == .good ? began - Self.head : began
            let words = ["monitors", "--topic", topic.text, "--since", Timestamp.text(moment)]
            return report.outcome == .nothing ? [] : [Errors.fleetAgain(options.command(words))]
        }
    }

    /// How far before the notification the printed command begins, in milliseconds: for a day, clocks do not go apart by more.
    private static let head: Int64 = 90_000
}

/// The command `forgebus fleet monitors`.
struct FleetMonitorsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitors",
        abstract: "Shows what the latest cycles of all workers' monitors said, and causes no cycle.",
        discussion: """
            With --since, a monitor has converged only if its latest cycle certainly began after that time. A worker tells \
            how long ago the cycle began, and clocks differ by up to 0.05 %: an hour later, only a cycle that began at \
            least 4 seconds after the change counts. So give each monitor of a fleet an interval.

            Example: forgebus fleet monitors password-age --since 5m
            """
    )

    @Argument(help: "Only monitors with names that match a pattern; all by default.", transform: Words.pattern)
    var patterns: [NamePattern] = []

    @Option(help: "Only monitors that follow this topic.", transform: Words.name)
    var topic: Name?

    @Option(
        help: ArgumentHelp(
            "When the change happened that the monitors should have evaluated: a time, such as 2026-03-01T09:30:00Z, or how long ago, such as 5m.",
            valueName: "time"
        ),
        transform: PointInTime.read
    )
    var since: PointInTime?

    @OptionGroup var persistence: FleetPersistence
    @OptionGroup var options: FleetOptions

    func validate() throws {
        if topic != nil, !patterns.isEmpty {
            throw ValidationError("--topic chooses the monitors: give either a topic or patterns.")
        }
    }

    func run() async throws {
        let choice = topic.map { MonitorChoice.following($0) } ?? (patterns.isEmpty ? .all : .named(patterns))
        let change = since?.onContinuousClock
        try await options.ask(columns: .monitors) { fleet, selection, progress async throws(BusError) in
            await fleet.monitors(
                choice,
                since: change,
                on: selection,
                until: persistence.until,
                progress: progress
            )
        }
    }
}

/// The command `forgebus fleet workers`.
struct FleetWorkersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workers",
        abstract: "Shows which workers answer, their versions, and the digests of their files.",
        discussion: """
            The digests show which workers have another worker file or access file than the others: a key is revoked \
            everywhere when all workers have the new access file.
            """
    )

    @OptionGroup var options: FleetOptions

    func run() async throws {
        try await options.ask(columns: .workers) { fleet, selection, progress async throws(BusError) in
            await fleet.workers(on: selection, progress: progress)
        }
    }
}

/// The command `forgebus fleet run`.
struct FleetRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a pipeline once on each worker, batch after batch.",
        discussion: """
            The same workers and the same --id show the outcome of the same runs, and start those that had not begun, as \
            long as the workers keep their answers (their retention). --failing chooses anew each time, among those that \
            still fail: to see all runs of a roll-out again, name its workers with --on. A run that completed has not \
            proved that it helped; the next batch does not wait for a new cycle.

            Example: forgebus fleet run remedy --failing password-age --batch 1,10%,100% --id CHG-1190
            """
    )

    @Argument(help: "The pipeline's name.", transform: Words.name)
    var pipeline: Name

    @Argument(help: "Seeds: key=text, or key:=JSON.", transform: SeedArgument.init)
    var seeds: [SeedArgument] = []

    @Option(
        help: ArgumentHelp("Only workers on which this monitor fails or is overdue.", valueName: "monitor"),
        transform: Words.name
    )
    var failing: Name?

    @Option(
        help: ArgumentHelp(
            "The sizes of the batches: numbers or percentages of the chosen workers. The last one repeats until all had their turn. 1,100% by default.",
            valueName: "sizes"
        ),
        transform: Words.batches
    )
    var batch: [BatchSize] = [.count(1), .percent(100)]

    @Option(
        help: """
            Begin no further batch when so many workers have not completed, silent ones too; 1 by default.
            """
    )
    var stopAfter = 1

    @Option(
        help: ArgumentHelp(
            "The longest time for one batch, such as 30m; then the outcome of its unfinished runs is unknown. 1h by default.",
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var `for`: Duration = .seconds(3600)

    @Option(
        help: "The id of the roll-out; the same id again shows the same runs. Random by default.",
        transform: Words.rollout
    )
    var id: String?

    @OptionGroup var options: FleetOptions

    func validate() throws {
        try TimeSpan.check(`for`, "--for", from: .milliseconds(1), to: .seconds(31_536_000))
        guard stopAfter >= 1 else { throw ValidationError("--stop-after must be 1 or more; found \(stopAfter).") }
    }

    func run() async throws {
        let id = id ?? RequestID.random().text
        let values = seeds.reduce(into: JSONObject()) { $0[$1.key] = $1.value }
        try await options.ask(columns: .runs) { fleet, chosen, progress async throws(BusError) in
            var selection = chosen
            if let failing {
                let pattern = try NamePattern(failing.text)
                let report = await fleet.monitors(.named([pattern]), on: chosen)
                selection = report.workers(whose: failing, are: [.failed, .overdue])
            }
            return try await fleet.run(
                PipelineName(pipeline),
                seeds: values,
                on: selection,
                batches: batch,
                stopAfter: stopAfter,
                batchLasts: `for`,
                id: id,
                progress: progress
            )
        } after: { report in
            if report.workers.isEmpty { return [] }
            if report.outcome == .good { return failing == nil ? [] : [Errors.rolloutHelped] }
            return [Errors.rolloutAgain(id, on: report.workers.keys.sorted(), chosenAnew: failing != nil)]
        }
    }
}

/// For how long a command asks again.
struct FleetPersistence: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Ask workers that are not as they should be again, for at most this time, such as 10m.",
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var until: Duration?

    func validate() throws {
        try TimeSpan.check(until, "--until", from: .milliseconds(1), to: .seconds(31_536_000))
    }
}

/// A point in time on the command line: when, or how long ago.
enum PointInTime {
    case at(unixMilliseconds: Int64)
    case ago(Duration)

    static func read(_ word: String) throws -> PointInTime {
        if let span = try? TimeSpan.read(word), Int64(word) == nil { return .ago(span) }
        return .at(unixMilliseconds: try Words.time(word))
    }

    /// The time on the clock that measures ages; a time in whole seconds is taken for the end of its second.
    var onContinuousClock: ContinuousClock.Instant {
        switch self {
        case .ago(let span): .now.advanced(by: .zero - span)
        case .at(let unix):
            .now.advanced(by: .milliseconds(unix - Age.now + (unix.isMultiple(of: 1_000) ? 1_000 : 1)))
        }
    }
}

import ArgumentParser
import ForgeBusClient
import ForgeBusConfiguration
import ForgeBusProtocol

/// The command `forgebus stuck`, with its arguments and options.
struct StuckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stuck",
        abstract: "Lists what needs attention: parked runs, failing actions and monitors, pauses, and long waits.",
        discussion: """
            Example: forgebus stuck --older-than 4h

            Parked and retrying runs, failing monitors and pauses are always listed; --older-than limits only the \
            gates, signals and queued runs.

            AGE counts from the acceptance of a run, from the beginning of a signal's wait, or from the beginning of a \
            pause. AGE is empty for a monitor that fails: WHY says when its latest cycle failed. DO is a command that \
            may help.
            """
    )

    @Option(
        help: ArgumentHelp(
            """
            How long a gate or signal must have waited, or how long ago a queued run must have been accepted, to be \
            listed; 1h by default.
            """,
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var olderThan: Duration = .seconds(3_600)

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try TimeSpan.check(olderThan, "--older-than", from: .zero, to: WireLimits.duration)
    }

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            let (found, unread) = try await findings(bus)
            switch output.format {
            case .json, .jsonl: for finding in found { output.show("", finding.json) }
            case .text:
                var table = Table([.short("WHAT"), .short("STATE"), .short("AGE"), .wide("WHY"), .wide("DO")])
                for finding in found { table.add(finding.row(client)) }
                let width = Terminal.isInteractive ? max(60, Terminal.columns) : nil
                Terminal.say(found.isEmpty ? [Self.nothing(besides: unread)] : table.lines(width: width))
                let others = try await others(bus, listed: found)
                if !others.isEmpty { Terminal.say(others) }
            }
            return .done
        }
    }

    /// Lines that count waiting signals and failed runs outside the table, because they may need attention, too.
    private func others(_ bus: BusClient, listed: [Finding]) async throws(BusError) -> [String] {
        // Only the first page is counted.
        func count(_ kind: ListKind, _ filter: ListFilter, _ one: String, _ many: String) async throws(BusError)
            -> String?
        {
            let page: Page
            do throws(BusError) {
                page = try await bus.list(kind, matching: filter, order: .newest, limit: WireLimits.pageSize)
            } catch {
                if error.code == .forbidden { return nil }
                throw error
            }
            let count = page.items.count { item in !listed.contains { $0.name == item.entries.first?.value.string } }
            // If all items of the newest page are in the table, all older items are in the table, too.
            if count == 0 { return page.cursor != nil && page.items.isEmpty ? many : nil }
            let words = count == 1 ? "1 \(one)" : "\(count) \(many)"
            return page.cursor == nil ? words : "at least \(words)"
        }
        let limit = DurationText.text(of: olderThan)
        let waiting = try await count(
            .signals,
            ListFilter(),
            "gate or signal has waited for less than \(limit) and is not listed",
            "gates and signals have waited for less than \(limit) and are not listed"
        )
        let failed = try await count(
            .runs,
            ListFilter(state: .failed),
            "failed run is not listed, because it has ended",
            "failed runs are not listed, because they have ended"
        )
        return [
            waiting.map { "\($0); to list all that wait: \(client.command(["list", "signals"]))" },
            failed.map { "\($0); to list failed runs: \(client.command(["list", "runs", "--state", "failed"]))" },
        ].compactMap(\.self)
    }

    private static let kinds = [ListKind.runs, .monitors, .pipelines, .signals]

    /// The line in place of an empty table; `unread` are the kinds of items that were not checked.
    private static func nothing(besides unread: [ListKind]) -> String {
        let checked = kinds.filter { !unread.contains($0) }
        return unread.isEmpty ? "nothing is stuck" : "nothing is stuck among the \(listed(checked))"
    }

    /// The kinds in words, such as `runs, monitors and pipelines`.
    private static func listed(_ kinds: [ListKind]) -> String {
        let names = kinds.map(\.rawValue)
        guard names.count > 1, let last = names.last else { return names.joined() }
        return "\(names.dropLast().joined(separator: ", ")) and \(last)"
    }

    /// The findings among the items that the caller may read, and the kinds of items that it may not read.
    ///
    /// If the caller may not read some kinds of items, a line on standard error names these kinds.
    private func findings(_ bus: BusClient) async throws(BusError) -> (items: [Finding], unread: [ListKind]) {
        var found: [Finding] = []
        var refusals: [(kind: ListKind, error: BusError)] = []
        for kind in Self.kinds {
            do throws(BusError) { found += try await findings(kind, bus) } catch {
                guard error.code == .forbidden else { throw error }
                refusals.append((kind, error))
            }
        }
        if refusals.count == Self.kinds.count { throw refusals[0].error }
        let unread = refusals.map(\.kind)
        if !unread.isEmpty {
            let names = Self.listed(unread)
            Terminal.complain(Errors.unchecked(names))
        }
        return (found, unread)
    }

    private func findings(_ kind: ListKind, _ bus: BusClient) async throws(BusError) -> [Finding] {
        var found: [Finding] = []
        switch kind {
        case .runs:
            for filter in [ListFilter(state: .parked), ListFilter(state: .retrying), longQueued] {
                for try await run in bus.runs(matching: filter) { found.append(Finding(run)) }
            }
        case .monitors:
            for try await monitor in bus.monitors() where monitor.failure != nil || monitor.pause != nil {
                found.append(Finding(monitor))
            }
        case .pipelines:
            for try await pipeline in bus.pipelines() where pipeline.pause != nil { found.append(Finding(pipeline)) }
        case .signals:
            for try await signal in bus.signals(matching: ListFilter(olderThan: olderThan)) {
                found.append(Finding(signal))
            }
        case .early: break
        }
        return found
    }

    private var longQueued: ListFilter { ListFilter(state: .queued, olderThan: olderThan) }
}

/// A run, monitor, pipeline or signal that needs attention, as a row of the table.
private struct Finding {
    let json: JSONObject
    let name: String
    let state: String
    let since: Int64?
    let why: String
    /// The words of the command that the row suggests, without `forgebus`.
    let help: [String]

    init(_ run: RunItem) {
        json = run.json
        name = run.id.text
        state = run.state?.rawValue ?? ""
        since = run.acceptedUnixMilliseconds
        let obstacle = ItemTable.obstacle(to: run)
        why =
            state == "queued" && obstacle == nil
            ? "waits for a slot of the pipeline \"\(run.pipeline)\"" : ItemTable.place(of: run)
        switch state {
        case "parked": help = ["redrive", name]
        case "queued" where run.pause == nil && run.holder != nil: help = ["show", run.holder?.text ?? name]
        case "queued": help = [run.pause != nil ? "resume" : "show", "pipeline", "\(run.pipeline)"]
        default: help = ["logs", name]
        }
    }

    init(_ pipeline: PipelineItem) {
        json = pipeline.json
        name = pipeline.name.text
        state = "paused"
        since = pipeline.pause?.sinceUnixMilliseconds
        why = pipeline.pause.map(ItemTable.text) ?? ""
        help = ["resume", "pipeline", name]
    }

    init(_ monitor: MonitorItem) {
        json = monitor.json
        name = monitor.name.text
        state = monitor.state.word
        // For a failing monitor, the worker sends only the time of the latest failure, and `why` has it.
        since = monitor.pause?.sinceUnixMilliseconds
        guard monitor.pause == nil else {
            why = ItemTable.why(monitor)
            help = ["resume", "monitor", name]
            return
        }
        let next = Age.until(monitor.nextUnixMilliseconds)
        let trouble = ItemTable.why(monitor)
        why = next.isEmpty ? trouble : ItemTable.joined(trouble, "next cycle \(next)")
        // A notification on a topic that the monitor follows makes it begin a cycle at once.
        let topic = monitor.topics.first.map { $0.replacing("*", with: "recheck").replacing(">", with: "recheck") }
        help = topic.map { ["notify", $0] } ?? ["explain", name]
    }

    init(_ signal: SignalItem) {
        json = signal.json
        name = signal.id.text
        state = "waiting"
        since = signal.openedUnixMilliseconds
        let end = Age.until(signal.deadlineUnixMilliseconds)
        let message = signal.message ?? "waits for a decision"
        why = end.isEmpty ? message : ItemTable.joined(message, "expires \(end)")
        help = ["show", "signal", name]
    }

    func row(_ client: ClientOptions) -> [String] { [name, state, Age.since(since), why, client.command(help)] }
}

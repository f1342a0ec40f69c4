import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus explain`, with its arguments and options.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract:
            "Shows the history of a run, signal or monitor: its events with their times and details, across restarts.",
        discussion: """
            Example: forgebus explain run-7

            The worker answers with at most the latest 500 recorded events. Its store deletes old events: see \
            store_limits in the worker file.
            """
    )

    @Argument(help: "The id of a run or signal, or the name of a monitor.", transform: Words.name)
    var name: Name

    @OptionGroup var client: ClientOptions

    func run() async throws {
        try await client.ask(.one) { bus, output throws(BusError) in
            let history = try HistoryItem(try await bus.show(.history, name.text))
            let obstacle = Self.isOfUnfinishedRun(history) ? try await Self.obstacle(to: name, bus, output) : []
            output.show(Self.lines(history) + obstacle, history.json)
            return .done
        }
    }

    /// Whether the history is that of a run, and shows no end of the run.
    private static func isOfUnfinishedRun(_ history: HistoryItem) -> Bool {
        let events = history.entries.filter { $0.run?.text == history.name }
        let isEnded = (events.last?.event).flatMap(RunResult.State.init) != nil
        return !isEnded && events.contains { $0.event == "accepted" }
    }

    /// A line for people if `name` is a run that gets no slot because of a pause or of its key; otherwise no line.
    private static func obstacle(to name: Name, _ bus: BusClient, _ output: Output) async throws(BusError) -> [String] {
        guard output.format == .text else { return [] }
        let state = try await UnfinishedRun(.queued, of: RunID(name), on: bus)
        return state.obstacle.map { ["The run is queued: \($0)"] } ?? []
    }

    /// A line for each event, with its time, its name and its details.
    private static func lines(_ history: HistoryItem) -> [String] {
        let (entries, name) = (history.entries, history.name)
        guard !entries.isEmpty else {
            return [Errors.emptyHistory(of: name)]
        }
        let earlier =
            history.isTruncated ? ["Earlier events are left out, because one answer cannot contain all of them."] : []
        return earlier + entries.flatMap { line($0, of: name).wrappedForTerminal(indent: 26) }
    }

    /// The event in one line, without a member that only repeats `name`, the name of the run, signal or monitor.
    private static func line(_ item: HistoryEntryItem, of name: String) -> String {
        let (entry, time) = (item.json, Timestamp.text(item.unixMilliseconds))
        // The sender's key is of use only to programs, which get it with -o json.
        let hidden: Set = ["at_ms", "event", "key"]
        let details = entry.entries.filter { member in
            let isName = ["run", "signal", "monitor"].contains(member.key) && member.value.string == name
            // For an action that waited, `waited_ms` is shown, and `duration_ms` would add nothing.
            let isWait = member.key == "duration_ms" && entry["waited_ms"] != nil
            return !isName && !isWait && !hidden.contains(member.key)
        }.map { member in
            if member.key == "until_ms", let end = member.value.integer { return "until \(Timestamp.text(end))" }
            if member.key == "unkept", let key = member.value.string {
                return "the value \(Printable.quoted(key)) could not be stored"
            }
            if member.key.hasSuffix("_at_ms"), let time = member.value.integer {
                return "\(member.key.dropLast("_at_ms".count)) at \(Timestamp.text(time))"
            }
            if member.key.hasSuffix("_ms"), let time = member.value.integer {
                let word = member.key.dropLast("_ms".count)
                return "\(word == "duration" ? "took" : String(word)) \(readable(time))"
            }
            if entry["decision"] != nil {
                // The sender's own words are quoted, because they would look like words of the worker.
                if ["reason", "value"].contains(member.key), let text = member.value.string {
                    return "\(member.key) \"\(text)\""
                }
                if member.key == "decision", event(item) == "refused", let word = member.value.string {
                    return "decision \(word == "rejected" ? "to reject" : word == "approved" ? "to approve" : word)"
                }
            }
            let words = member.value.object?.entries.map { "\($0.key)=\($0.value.quotedIfNeeded)" }
            return "\(member.key) \(words?.joined(separator: " ") ?? member.value.string ?? member.value.description)"
        }
        let line = time + "  " + event(item).padded(to: 18) + details.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// The event's name; for a decision, a word for its verdict.
    private static func event(_ entry: HistoryEntryItem) -> String {
        guard entry.event == "decided" else { return entry.event }
        return switch entry.details["verdict"]?.string {
        case "counted": "voted"
        case "buffered": "kept"
        case "duplicate": "repeated"
        case "conflict", "forbidden", "unknown", "expired", "closed": "refused"
        case _: entry.event
        }
    }

    /// A length of time for people; 10 seconds and more are shown in whole seconds.
    private static func readable(_ milliseconds: Int64) -> String {
        milliseconds == 0
            ? "0 ms"
            : milliseconds < 10_000 ? Duration.milliseconds(milliseconds).readable : "\(milliseconds / 1_000) s"
    }
}

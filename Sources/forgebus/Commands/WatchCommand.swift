import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus watch`, with its arguments and options.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints state changes of runs, signals and monitors from now on.",
        discussion: """
            Example: forgebus watch 'run.deploy.>'

            The events have the names run.PIPELINE.RUN, signal.SIGNAL and monitor.MONITOR. In a pattern, * matches one \
            part of a name between dots, and a > at the end matches all further parts. Events may be lost; the command \
            then prints a line about the loss, and you should check the current state. After the command has printed \
            "watching" on standard error, it reports every loss. The command ends after --count events, or with Ctrl-C.
            """
    )

    @Argument(
        help: """
            Which events to print, in quotes: 'run.deploy.>' for all runs of the pipeline "deploy", 'signal.>' for all \
            signals, or 'monitor.stock' for one monitor.
            """,
        transform: Words.pattern
    )
    var pattern: NamePattern

    @Option(help: "How many events to print before the command ends.")
    var count: Int?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be 1 or more; found \(count).") }
        let kind = pattern.text.prefix { $0 != "." }
        guard ["run", "signal", "monitor", "*", ">"].contains(kind) else {
            throw Errors.patternOfNoKind(String(kind))
        }
        if count == nil, client.output == .json {
            throw Errors.documentWithoutEnd
        }
    }

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            var events = try await bus.events(matching: pattern).makeAsyncIterator()
            let interruption = BusError.interrupted(
                "the watched items are not affected.",
                next: "Watch again with \(client.call("watch", pattern.text))"
                    + (watched.contains("run") ? ", or follow one run with \(client.call("attach", "RUN"))." : ".")
            )
            output.interruption = interruption
            Terminal.complain(["watching \(pattern)"])
            var told = 0
            while told < count ?? .max, Terminal.isWritten {
                // Only an interruption ends the events.
                guard let event = try await events.next() else { throw interruption }
                output.show(event.lines(remedy: looks), event.json)
                told += 1
            }
            return .done
        }
    }

    /// The commands that show the current state of the watched items, for people to copy.
    private var looks: String { watched.map { client.call("list", "\($0)s") }.joined(separator: ", ") }

    /// The kinds of the watched items.
    private var watched: [String] {
        let kinds = ["run", "signal", "monitor"]
        let named = kinds.filter { pattern.text == $0 || pattern.text.hasPrefix("\($0).") }
        return named.isEmpty ? kinds : named
    }
}

extension BusEvent {
    /// The event in one line for people, with the present time.
    ///
    /// If events were lost, a line with their number and the commands in `remedy`, which show the current state, comes
    /// before it.
    fileprivate func lines(remedy: String) -> [String] {
        let lines = lost > 0 ? [Errors.lostEvents(lost, remedy: remedy)] : []
        let state = body["state"]?.string ?? JSONValue.object(body).description
        if let trouble { return lines + ["\(Timestamp.text(Age.now))  \(trouble)"] }
        let signal = try? SignalEventItem(body)
        let votes = signal?.have.flatMap { have in signal?.need.map { "  (\(have) of \($0) votes)" } }
        return lines + ["\(Timestamp.text(Age.now))  \(state.padded(to: 11))\(subject)\(votes ?? "")"]
    }

    /// The line for a monitor that fails and waits for its next cycle: why it fails, and when it tries again.
    ///
    /// The value is nil for every other event, also while a cycle runs: then it is unknown whether the monitor still
    /// fails.
    private var trouble: String? {
        guard let monitor = try? MonitorItem(body), let failure = monitor.failure.map({ ItemTable.text(of: $0) }),
            [.idle, .owed, .excluded].contains(monitor.state)
        else {
            return nil
        }
        let next = monitor.nextUnixMilliseconds.map { "next cycle at \(Timestamp.text($0))" }
        let why = next.map { ItemTable.joined(failure, $0) } ?? failure
        return "\(monitor.state.word.padded(to: 11))\(subject)  \(why)"
    }
}

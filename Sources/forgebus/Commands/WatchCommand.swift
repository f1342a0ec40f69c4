import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// `forgebus watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints state changes of runs, signals and monitors from now on.",
        discussion: """
            Subjects are run.PIPELINE.RUN, signal.SIGNAL and monitor.MONITOR; in a pattern * matches one token and a \
            last > the rest. It may lose events, and prints how many: then check the current state. After it reports on \
            standard error that it watches, no event is lost silently. It ends after --count events, or with Ctrl-C.
            """
    )

    @Argument(help: "Which subjects, such as run.deploy.>.", transform: Words.pattern)
    var pattern: NamePattern

    @Option(help: "How many events to print.")
    var count: Int?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count takes a number from 1.") }
        let kind = pattern.text.prefix { $0 != "." }
        guard ["run", "signal", "monitor", "*", ">"].contains(kind) else {
            throw ValidationError(
                "No subject begins with \(kind): they are run.PIPELINE.RUN, signal.SIGNAL, monitor.MONITOR."
            )
        }
        if count == nil, client.output == .json {
            throw ValidationError("-o json prints at the end, and watch has no end: use -o jsonl, or give --count.")
        }
    }

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            var events = try await bus.events(matching: pattern).makeAsyncIterator()
            let interruption = BusError.interrupted(
                "the watched items are not affected.",
                next: "Watch again with \(client.call("watch", pattern.text)), "
                    + "or follow one run with \(client.call("attach", "RUN"))."
            )
            output.interruption = interruption
            Terminal.complain(["watching \(pattern)"])
            var told = 0
            while told < count ?? .max, Terminal.isWritten {
                // Only an interruption ends the events.
                guard let event = try await events.next() else { throw interruption }
                output.show(event.lines, event.json)
                told += 1
            }
            return .done
        }
    }
}

extension BusEvent {
    /// A line for people, after a line that counts lost events.
    fileprivate var lines: [String] {
        let lines = lost > 0 ? ["(\(lost) events lost here: check the current state)"] : []
        let state = body["state"]?.string ?? JSONValue.object(body).description
        return lines + ["\(state.padded(to: 11))\(subject)"]
    }
}

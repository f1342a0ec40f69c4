import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// `forgebus watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Tells what happens from now on: states of runs, signals and monitors.",
        discussion: """
            Subjects are run.PIPELINE.RUN, signal.SIGNAL and monitor.MONITOR; in a pattern * stands for one token and a \
            last > for the rest. It may lose events, and says how many: then look at everything again. Once it says \
            on standard error that it watches, nothing is missed silently. It ends after --count events, or with Ctrl-C.
            """
    )

    @Argument(help: "Which subjects, such as run.deploy.>.", transform: Words.pattern)
    var pattern: NamePattern

    @Option(help: "How many events to tell.")
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
            throw ValidationError("One JSON document has an end, and this has none: use -o jsonl, or give --count.")
        }
    }

    func run() async throws {
        try await client.ask(.several) { bus, output throws(BusError) in
            var events = try await bus.events(matching: pattern).makeAsyncIterator()
            let interruption = BusError.interrupted(
                "what was watched goes on.",
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
        let lines = lost > 0 ? ["(\(lost) lost here: look at everything again)"] : []
        let state = body["state"]?.string ?? JSONValue.object(body).description
        return lines + ["\(state.padded(to: 11))\(subject)"]
    }
}

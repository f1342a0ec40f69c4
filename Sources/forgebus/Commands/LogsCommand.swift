import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus logs`, with its arguments and options.
struct LogsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Shows what the actions of a run printed, attempt by attempt.",
        discussion: """
            When an attempt ends, the worker stores the last 64 KiB of the attempt's standard output and of its \
            standard error. The worker deletes these outputs together with the record of the run. If all outputs in \
            the store together exceed `output_bytes` of `store_limits` in the worker file, the worker deletes the \
            oldest ones earlier.

            With --follow, the command prints what each further attempt printed when it ends, until the run ends. It \
            then exits 0 if the run completed, and 1 if it ended otherwise; it exits 75 before the end if too many requests \
            wait for the same run. Ctrl-C ends only the command.

            Example: forgebus logs run-7 test
            """
    )

    @Argument(help: "The run's id.", transform: Words.name)
    var run: Name

    @Argument(help: "Show only what this action printed.")
    var action: String?

    @Flag(
        name: .shortAndLong,
        help: "Go on until the run ends; with -o json, use -o jsonl to see each attempt at once."
    )
    var follow = false

    @OptionGroup var client: ClientOptions

    func run() async throws {
        if follow {
            return try await client.ask(.several) { bus, output throws(BusError) in try await follow(bus, output) }
        }
        try await client.ask(.one) { bus, output throws(BusError) in
            let printed = try await bus.output(of: RunID(run), action: action)
            // If the action printed nothing, its name may be misspelt; the command then names the actions that printed.
            let others =
                action != nil && printed.entries.isEmpty
                ? try await bus.output(of: RunID(run)).entries.map(\.action) : []
            output.show(lines(of: printed, others: others), printed.json)
            return .done
        }
    }

    /// Prints each attempt when it has ended, until the run ends.
    private func follow(_ bus: BusClient, _ output: Output) async throws(BusError) -> ExitStatus {
        output.interruption = .interrupted(
            "the run is not affected.",
            next: "Follow it again with \(client.call("logs", run.text, "--follow"))."
        )
        let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let end = Task { [run] () -> Result<RunStatus, BusError> in
            defer { continuation.finish() }
            do throws(BusError) {
                return .success(try await bus.attach(RunID(run)) { _ in continuation.yield() })
            } catch { return .failure(error) }
        }
        defer { end.cancel() }
        var told: Set<OutputEntryItem> = []
        func tell() async throws(BusError) {
            for attempt in try await bus.output(of: RunID(run), action: action).entries
            where told.insert(attempt).inserted { output.show(Self.lines(of: attempt), attempt.json) }
        }
        try await tell()
        for await _ in changes { try await tell() }
        let status = await withTaskCancellationHandler {
            await end.value
        } onCancel: {
            end.cancel()
        }
        // The last attempt ends just before the run.
        try await tell()
        let ended = try status.get()
        if told.isEmpty, output.format == .text { output.show([Errors.noOutput(of: run, action, others: [])], [:]) }
        switch ended {
        case .ended(let result): return result.state == .completed ? .done : .runFailed
        // Too many requests wait for the same run.
        case .unfinished: return .tryAgain
        }
    }

    private func lines(of printed: OutputItem, others: [String]) -> [String] {
        let attempts = printed.entries
        guard !attempts.isEmpty else {
            return [Errors.noOutput(of: run, action, others: others)]
        }
        let call = client.command(["logs", run.text, "ACTION"])
        let advice =
            action == nil ? "; to see the output of one action, type: \(call)" : "; this command cannot show the rest"
        let earlier = "Earlier output is left out, because one answer cannot contain all of it\(advice)"
        return (printed.isTruncated ? [earlier] : []) + attempts.flatMap(Self.lines)
    }

    private static func lines(of attempt: OutputEntryItem) -> [String] {
        let time = "ended \(Timestamp.text(attempt.unixMilliseconds))"
        let end = attempt.reason.map { ", failed: \(reason($0, of: attempt))" } ?? ""
        let head = "── \(attempt.action), attempt \(attempt.attempt), \(time)\(end)"
        let errors = lines(of: attempt.errors, without: attempt.errorsOmitted)
        return [head] + lines(of: attempt.output, without: attempt.outputOmitted)
            + (errors.isEmpty ? [] : ["── standard error"] + errors)
    }

    /// The reason of a failure; if it ends with the last line that the attempt printed, it says so.
    private static func reason(_ reason: String, of attempt: OutputEntryItem) -> String {
        let text = attempt.errors.isEmpty ? attempt.output : attempt.errors
        guard let last = text.split(whereSeparator: \.isNewline).last, reason.hasSuffix(": \(last)") else {
            return reason
        }
        return "\(reason.dropLast(last.count + 2)); last line: \(last)"
    }

    private static func lines(of text: String, without omitted: Int) -> [String] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        if lines.last == "" { lines.removeLast() }
        let first = omitted == 1 ? "the first byte is" : "the first \(omitted) bytes are"
        // Indented, so that no text can look like the head of another attempt.
        return (omitted > 0 ? ["  [\(first) missing: only the last 64 KiB are stored]"] : []) + lines.map { "  \($0)" }
    }
}

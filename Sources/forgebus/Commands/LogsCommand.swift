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

            Example: forgebus logs run-7 test
            """
    )

    @Argument(help: "The run's id.", transform: Words.name)
    var run: Name

    @Argument(help: "Show only what this action printed.")
    var action: String?

    @OptionGroup var client: ClientOptions

    func run() async throws {
        try await client.ask(.one) { bus, output throws(BusError) in
            let printed = try await bus.printed(by: run.text, action: action)
            // If the action printed nothing, its name may be misspelt; the command then names the actions that printed.
            let others =
                action != nil && printed["entries"]?.array?.isEmpty == true
                ? try await bus.output(of: RunID(run)).map(\.action) : []
            output.show(lines(of: printed, others: others), printed)
            return .done
        }
    }

    private func lines(of printed: JSONObject, others: [String]) -> [String] {
        let attempts = (printed["entries"]?.array ?? []).compactMap { value in
            value.object.flatMap { try? PrintedAttempt($0) }
        }
        guard !attempts.isEmpty else {
            return [Errors.noOutput(of: run, action, others: others)]
        }
        let isCut = printed["truncated"]?.bool == true
        let call = client.command(["logs", run.text, "ACTION"])
        let advice =
            action == nil ? "; to see the output of one action, type: \(call)" : "; this command cannot show the rest"
        let earlier = "Earlier output is left out, because one answer cannot contain all of it\(advice)"
        return (isCut ? [earlier] : []) + attempts.flatMap(Self.lines)
    }

    private static func lines(of attempt: PrintedAttempt) -> [String] {
        let time = "ended \(Timestamp.text(attempt.unixMilliseconds))"
        let end = attempt.reason.map { ", failed: \(reason($0, of: attempt))" } ?? ""
        let head = "── \(attempt.action), attempt \(attempt.attempt), \(time)\(end)"
        return [head] + lines(of: attempt.output) + (attempt.errors.isEmpty ? [] : ["── standard error"])
            + lines(of: attempt.errors)
    }

    /// The reason of a failure; if it ends with the last line that the attempt printed, it says so.
    private static func reason(_ reason: String, of attempt: PrintedAttempt) -> String {
        let text = attempt.errors.isEmpty ? attempt.output.text : attempt.errors.text
        guard let last = text.split(whereSeparator: \.isNewline).last, reason.hasSuffix(": \(last)") else {
            return reason
        }
        return "\(reason.dropLast(last.count + 2)); last line: \(last)"
    }

    private static func lines(of printed: PrintedText) -> [String] {
        var lines = printed.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        if lines.last == "" { lines.removeLast() }
        let omitted = printed.omittedBytes
        let first = omitted == 1 ? "the first byte is" : "the first \(omitted) bytes are"
        // Indented, so that no text can look like the head of another attempt.
        return (omitted > 0 ? ["  [\(first) missing: only the last 64 KiB are stored]"] : []) + lines.map { "  \($0)" }
    }
}

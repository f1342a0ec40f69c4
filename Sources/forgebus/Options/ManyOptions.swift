public import ArgumentParser
import ForgeBusClient
import ForgeBusConfiguration
public import ForgeBusProtocol

/// The options of `cancel` and `redrive` for many runs.
struct ManyOptions: ParsableArguments {
    @Flag(help: "Apply the command to all runs that match the filters below, instead of to one run.")
    var all = false

    @Option(help: ArgumentHelp("With --all: only runs of this pipeline.", valueName: "name"), transform: Words.name)
    var pipeline: Name?

    @Option(help: "With --all: only runs in this state. Only parked runs can be redriven.")
    var state: RunFilter.State?

    @Option(help: ArgumentHelp("With --all: only runs that this principal requested.", valueName: "name"))
    var principal: String?

    @Option(
        help: ArgumentHelp(
            "With --all: only runs accepted at least this long ago, such as 2h or 3d.",
            valueName: "time"
        ),
        transform: TimeSpan.read
    )
    var olderThan: Duration?

    @Option(help: ArgumentHelp("With --all: only runs whose ids begin with this text.", valueName: "text"))
    var prefix: String?

    @Option(
        help: ArgumentHelp(
            "With --all: how many runs must match, at most 10000; if another number matches, nothing changes.",
            discussion: "Without this option, --all changes nothing, and shows how many runs match.",
            valueName: "count"
        )
    )
    var expect: Int?

    var filter: RunFilter {
        RunFilter(
            state: state,
            pipeline: pipeline,
            principal: principal,
            olderThan: olderThan,
            prefix: prefix
        )
    }

    /// Checks the options together with `target`, the run that the command line names.
    ///
    /// `advice` ends the error for a run that is named beside `--all`.
    func validate(with target: Name?, advice: String = "") throws {
        guard all else {
            if target == nil { throw ValidationError("Name a run, or give --all with a filter.") }
            if !filter.isEmpty || expect != nil {
                throw Errors.filterWithoutAll
            }
            return
        }
        if let target {
            throw Errors.runBesideAll(target, advice: advice)
        }
        if filter.isEmpty {
            throw ValidationError("--all needs --pipeline, --state, --principal, --older-than or --prefix.")
        }
        try TimeSpan.check(olderThan, "--older-than", from: .zero, to: .seconds(31_536_000))
        if let expect, !(0...WireLimits.steeredRuns).contains(expect) {
            throw ValidationError("--expect must be a number from 0 to \(WireLimits.steeredRuns); found \(expect).")
        }
    }

    /// The options as words of a command line.
    private var words: [String] {
        var words = ["--all"]
        let options: [(String, String?)] = [
            ("--pipeline", pipeline?.text), ("--state", state?.rawValue), ("--principal", principal),
            ("--older-than", olderThan.map(DurationText.text)), ("--prefix", prefix),
        ]
        for case (let name, let value?) in options { words += [name, value] }
        return words
    }

    /// Changes the runs and shows their number; without `--expect`, only shows how many runs match.
    ///
    /// - Parameters:
    ///   - command: The command's name, such as `redrive`.
    ///   - done: The word for changed runs, such as `redriven`.
    ///   - more: Further words of the command line that the user should type.
    ///   - id: The request's id.
    ///   - client: The options of the connection.
    ///   - change: Sends the request for an expected number of runs, and returns the number of changed runs.
    /// - Throws: An `ExitCode` for every status except ``ExitStatus/done``.
    func conclude(
        _ command: String,
        done: String,
        more: [String] = [],
        id: RequestID,
        _ client: ClientOptions,
        _ change: @escaping @Sendable (BusClient, RunFilter, Int) async throws(BusError) -> Int
    ) async throws {
        let (filter, expect) = (filter, expect)
        try await client.ask(.one, id: expect == nil ? nil : id) { bus, output throws(BusError) in
            let count: Int
            do throws(BusError) {
                // A request that expects 0 runs changes nothing: if runs match, the worker refuses the request.
                count = try await change(bus, filter, expect ?? 0)
                if expect != nil {
                    output.show("\(count) \(count == 1 ? "run" : "runs") \(done)", ["count": .integer(Int64(count))])
                    return .done
                }
            } catch {
                guard expect == nil, let matching = error.matchingRuns else { throw error }
                count = matching
            }
            output.show(lines(command, count, more, client), ["matches": .integer(Int64(count))])
            return .cameToNothing
        }
    }

    private func lines(_ command: String, _ count: Int, _ more: [String], _ client: ClientOptions) -> [String] {
        guard count > 0 else {
            // A redrive counts only parked runs, and a cancellation only unfinished ones.
            let none = "no \(command == "redrive" ? "parked" : "unfinished") run matches"
            return [client.hasKeys ? "\(none) (among the runs that you have the right to change)" : none]
        }
        let most = WireLimits.steeredRuns
        guard count <= most else {
            return ["\(count) runs match; nothing is changed. Narrow the filter: one command changes at most \(most)."]
        }
        let call = client.call([command] + words + ["--expect", "\(count)"] + more)
        let (runs, them) = count == 1 ? ("run matches", "it") : ("runs match", "them")
        return ["\(count) \(runs); nothing is changed yet. To \(command) \(them), type: \(call)"]
    }
}

extension RunFilter.State: ExpressibleByArgument {}

extension BusError {
    /// The number of matching runs, if the error says that it differs from the expected number; otherwise nil.
    fileprivate var matchingRuns: Int? {
        code == .countDiffers ? details["count"]?.string.flatMap { Int($0) } : nil
    }
}

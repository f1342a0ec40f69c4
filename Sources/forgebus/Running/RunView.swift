import ForgeBusClient
import ForgeBusProtocol
import Synchronization

/// Shows a run for the commands `run` and `attach`: redrawn in place on a terminal, line by line elsewhere.
struct RunView {
    private let output: Output
    private let client: ClientOptions
    /// Redraws the run in place; nil unless the output format is text and the terminal is interactive.
    private let live: LiveRun?
    private let followed = FollowedRun()

    init(_ output: Output, _ client: ClientOptions) {
        self.output = output
        self.client = client
        live = output.format == .text && Terminal.isInteractive ? LiveRun() : nil
    }

    /// Draws the run while `body` waits for it.
    private func shown<Answer: Sendable>(_ body: () async throws(BusError) -> Answer) async throws(BusError) -> Answer {
        // When this method returns, this task is cancelled and awaited.
        async let _ = live?.keepDrawing()
        defer { live?.end() }
        return try await body()
    }

    /// Shows that the worker has accepted the run.
    func show(_ acceptance: RunAcceptance, of request: RequestID) {
        let run = acceptance.run.text
        _ = goesOn(acceptance.run)
        output.show(
            "accepted   \(run)  (\(acceptance.durability.rawValue); request \(request))",
            [
                "event": "accepted", "run": .string(run), "durability": .string(acceptance.durability.rawValue),
                "id": .string(request.text),
            ]
        )
    }

    /// Shows a change of the run.
    private func show(_ progress: RunProgress) {
        var advice: [String] = []
        if let lost = goesOn(progress.run) {
            let line =
                "restarted  \(progress.run)  (the worker no longer has the run \(lost): it carries the request out again)"
            let json: JSONObject = [
                "event": "restarted", "run": .string(progress.run.text), "lost": .string(lost.text),
            ]
            if live == nil { output.show(line, json) } else { advice = [line] }
        }
        if case .waiting(_, let signal) = progress.change { advice.append(client.advice(on: signal.text)) }
        if case .parked = progress.change { advice.append(client.advice(onParked: progress.run)) }
        guard let live else {
            return output.show([ShownChange(progress.change).line] + advice, progress.change.json(naming: "event"))
        }
        live.show(progress.change, advice)
    }

    /// Shows the run's state at the moment of attaching.
    private func show(attached run: UnfinishedRun) {
        _ = goesOn(run.id)
        let line = "attached   \(run.id)  (\(run.state.rawValue))"
        output.show([line] + run.lines(client), run.json(event: "attached"))
    }

    /// Records that the run continues without this command, so that an interruption says how to attach to it again.
    ///
    /// - Returns: The run that the command followed before, if it was another one: the worker has lost its records, and
    ///   the repeated request has started a new run.
    private func goesOn(_ run: RunID) -> RunID? {
        output.interruption = .interrupted(
            "the run \(run) continues.",
            next: "Attach to it again with \(client.call("attach", run.text))."
        )
        return followed.replace(with: run)
    }

    /// Shows a run that has not ended.
    ///
    /// - Returns: The command's status.
    private func show(_ run: UnfinishedRun) -> ExitStatus {
        let line = "\(run.state.rawValue.padded(to: 11))\(run.id)  (has not ended; this command ends)"
        output.show([line] + run.lines(client), run.json(event: "state"))
        return .tryAgain
    }

    /// Shows the result of the run.
    ///
    /// - Returns: The command's status.
    private func show(_ result: RunResult) -> ExitStatus {
        let shown = live?.ended ?? []
        let actions = result.actions.filter { !shown.contains($0.action) }.map { $0.line(below: result.reason) }
        let lines = [result.headline] + actions + [result.outputsLine, result.abandonedLine].compactMap(\.self)
        output.show(lines, result.event)
        return result.state == .completed ? .done : .runFailed
    }
}

/// The run that a command follows.
private final class FollowedRun: Sendable {
    private let run = Mutex<RunID?>(nil)

    var id: RunID? { run.withLock { $0 } }

    /// Follows `next` from now on.
    ///
    /// - Returns: The run until now, if it is another one.
    func replace(with next: RunID) -> RunID? {
        run.withLock { run in
            defer { run = next }
            return run == next ? nil : run
        }
    }
}

extension ClientOptions {
    /// The advice on how to decide the signal that a run waits for.
    func advice(on signal: String) -> String {
        "  to decide \(signal): \(call("approve", signal)), or \(call("reject", signal))"
    }

    /// The advice on how to resume a parked run.
    func advice(onParked run: RunID) -> String {
        "  resume the run with \(call("redrive", run.text)), or end it with \(call("cancel", run.text))"
    }
}

/// The methods that follow a run until it ends or the time limit passes.
extension RunView {
    /// Shows a run that this command started, until the run ends or the time limit passes.
    ///
    /// - Returns: The command's status.
    func follow(_ run: BusRun, on bus: BusClient, for limit: Duration?) async throws(BusError) -> ExitStatus {
        try await showObstacle(of: run.id, on: bus)
        let changes = Task { for try await change in run.progress { show(change) } }
        defer { changes.cancel() }
        let result = try await shown { () throws(BusError) in
            let result = try await within(limit) { () throws(BusError) in try await run.result }
            // Show all changes that came before the result first.
            if result != nil { _ = await changes.result }
            return result
        }
        if let result { return show(result) }
        // The state is the last thing that the command shows.
        changes.cancel()
        _ = await changes.result
        let id = followed.id ?? run.id
        return try await show(bus.attach(id, waiting: .zero), of: id, on: bus)
    }

    /// Shows why the run gets no slot, if its pipeline is paused or another run holds its key; only in the format `text`.
    private func showObstacle(of run: RunID, on bus: BusClient) async throws(BusError) {
        guard output.format == .text else { return }
        let state = try await UnfinishedRun(.queued, of: run, on: bus)
        if state.obstacle != nil { output.show(state.lines(client), state.json(event: "state")) }
    }

    /// Shows a run that was started elsewhere, until the run ends or the time limit passes.
    ///
    /// - Returns: The command's status.
    func follow(_ run: RunID, on bus: BusClient, for limit: Duration?) async throws(BusError) -> ExitStatus {
        let status = try await bus.attach(run, waiting: .zero)
        guard case .unfinished(let state) = status, limit != .zero else {
            return try await show(status, of: run, on: bus)
        }
        show(attached: try await UnfinishedRun(state, of: run, on: bus))
        let later = try await shown { () throws(BusError) in
            try await bus.attach(run, waiting: limit) { show($0) }
        }
        return try await show(later, of: run, on: bus)
    }

    private func show(_ status: RunStatus, of run: RunID, on bus: BusClient) async throws(BusError) -> ExitStatus {
        switch status {
        case .ended(let result): return show(result)
        case .unfinished(let state): return show(try await UnfinishedRun(state, of: run, on: bus))
        }
    }
}

/// The result of `body`; if `body` takes longer than `limit`, cancels `body` and returns nil.
func within<Value: Sendable>(
    _ limit: Duration?,
    _ body: @escaping @Sendable () async throws(BusError) -> Value
) async throws(BusError) -> Value? {
    guard let limit else { return try await body() }
    let task = Task { await Result { () async throws(BusError) in try await body() } }
    let timer = Task {
        try await Task.sleep(for: limit)
        task.cancel()
    }
    let result = await withTaskCancellationHandler {
        await task.value
    } onCancel: {
        task.cancel()
    }
    timer.cancel()
    if case .failure = result, task.isCancelled, !Task.isCancelled { return nil }
    return try result.get()
}

extension Result where Failure == BusError, Success: Sendable {
    /// The result or the error of `body`.
    fileprivate init(_ body: () async throws(BusError) -> Success) async {
        do throws(BusError) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

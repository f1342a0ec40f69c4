import ForgeBusClient
import ForgeBusProtocol

/// How `run` and `attach` tell of a run: drawn on a terminal, line by line anywhere else.
struct RunView {
    private let output: Output
    private let client: ClientOptions
    /// Nil where what was said cannot be drawn anew.
    private let live: LiveRun?

    init(_ output: Output, _ client: ClientOptions) {
        self.output = output
        self.client = client
        live = output.format == .text && Terminal.isInteractive ? LiveRun() : nil
    }

    /// Tells of the run while `body` waits for it.
    func shown<Answer: Sendable>(_ body: () async throws(BusError) -> Answer) async throws(BusError) -> Answer {
        // Cancelled, and awaited, when this returns.
        async let _ = live?.keepDrawing()
        defer { live?.end() }
        return try await body()
    }

    /// The worker has taken it.
    func hear(_ acceptance: RunAcceptance, of request: RequestID) {
        let run = acceptance.run.text
        goesOn(run)
        output.show(
            "accepted   \(run)  (\(acceptance.durability.rawValue); request \(request))",
            [
                "event": "accepted", "run": .string(run), "durability": .string(acceptance.durability.rawValue),
                "id": .string(request.text),
            ]
        )
    }

    /// The run changed.
    func hear(_ progress: RunProgress) {
        // A worker that lost its memory began another run for the same request.
        goesOn(progress.run.text)
        guard let live else { return output.show(progress.change.line, progress.change.json(naming: "event")) }
        live.hear(progress.change)
    }

    /// Word of the run is told from now on.
    func show(attached standing: RunStanding) {
        goesOn(standing.run.text)
        let line = "attached   \(standing.run)  (\(standing.state.rawValue))"
        output.show([line] + standing.lines, standing.json(event: "attached"))
    }

    /// From now on, whoever stops waiting leaves the run to itself.
    private func goesOn(_ run: String) {
        output.interruption = .interrupted(
            "the run \(run) goes on.",
            next: "Attach to it again with \(client.call("attach", run))."
        )
    }

    /// The run has not ended: how the command ends, too.
    func show(_ standing: RunStanding) -> ExitStatus {
        let line = "\(standing.state.rawValue.padded(to: 11))\(standing.run)"
        output.show([line] + standing.lines, standing.json(event: "state"))
        return .tryAgain
    }

    /// The run ended: how the command ends, too.
    func show(_ result: RunResult) -> ExitStatus {
        let told = live?.told ?? []
        let actions = result.actions.filter { !told.contains($0.action) }.map(\.line)
        let lines = [result.headline] + actions + [result.outputsLine, result.abandonedLine].compactMap(\.self)
        output.show(lines, result.event)
        return result.state == .completed ? .done : .runFailed
    }
}

import ForgeBusProtocol
import ForgeOrchestrator
import Logging

/// An action before the doors open that runs a command, again and again until it succeeds.
///
/// What must be through before requests are taken must be through: a migration that failed does not open the doors.
struct CommandStartupAction: SequenceAction {
    let id: ActionID
    let priority: ActionPriority
    let command: Command
    let condition: CommandCondition?
    let logger: Logger
    var clock: any Clock<Duration> = ContinuousClock()

    private static let backoff = Backoff(from: .seconds(1), upTo: .seconds(60))

    func shouldRun() async -> Bool { await condition?.holds() ?? true }

    func execute() async {
        var failures = 0
        while case .failed(let reason) = await command.run().actionResult {
            let pause = Self.backoff.pause(after: failures)
            failures += 1
            // The worker stops: the doors stay closed anyway.
            if Task.isCancelled { return }
            logger.error(
                "a startup action failed, it is run again",
                metadata: ["action": "\(id)", "reason": "\(reason)", "pause": "\(pause)"]
            )
            guard (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }
}

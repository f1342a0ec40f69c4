import ForgeBusProtocol
import ForgeOrchestrator
import Logging

/// A startup action that runs a command again and again until it succeeds.
///
/// The worker accepts no runs and no notifications before the command has succeeded. For example, the command migrates
/// a database. The exit status 75 (skipped) also ends the action.
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
            // The worker is stopping, so a further attempt is useless.
            if Task.isCancelled { return }
            logger.error(
                Errors.startupFailed,
                metadata: ["action": "\(id)", "reason": "\(reason)", "pause": "\(pause)"]
            )
            guard (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }
}

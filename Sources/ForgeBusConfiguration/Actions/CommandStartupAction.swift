import ForgeBusProtocol
import ForgeOrchestrator
import Logging

/// A startup action that runs a command again and again until it succeeds.
///
/// The worker accepts no requests before it has succeeded, for example before a migration is complete.
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
            // The worker is stopping and will accept no requests anyway.
            if Task.isCancelled { return }
            logger.error(
                "a startup action failed and runs again",
                metadata: ["action": "\(id)", "reason": "\(reason)", "pause": "\(pause)"]
            )
            guard (try? await clock.sleep(for: pause)) != nil else { return }
        }
    }
}

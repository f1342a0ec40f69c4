import ForgeOrchestrator

/// An action of a monitor that runs a command.
struct CommandMonitorAction: MonitorAction {
    let id: ActionID
    let priority: ActionPriority
    let command: Command
    let condition: CommandCondition?

    func shouldRun() async -> Bool { await condition?.holds() ?? true }

    func execute() async { _ = await run() }

    func run() async -> ActionResult { await command.run().actionResult }
}

import ForgeBusWorker
import ForgeOrchestrator

/// A monitor's action that runs a command; the command reads the causes of the cycle as JSON from its standard input.
struct CommandMonitorAction: MonitorAction, FallibleAction {
    let id: ActionID
    let priority: ActionPriority
    let command: Command
    let condition: CommandCondition?

    func shouldRun() async -> Bool { await condition?.holds(input: MonitorCauses.current.document) ?? true }

    func run() async -> ActionResult { await command.run(input: MonitorCauses.current.document).actionResult }
}

import ForgeOrchestrator

/// The actions before the doors open.
struct StartupDefinition {
    let workshop: Workshop

    /// The sequence; what is wrong is noted.
    func sequence(_ entry: Entry) -> SequenceOrchestrator {
        let orchestrator = SequenceOrchestrator(logger: workshop.logger)
        for action in ActionDefinition.actions(entry, .startup) {
            guard case .run(let arguments) = action.work else { continue }
            orchestrator.register(
                CommandStartupAction(
                    id: action.id,
                    priority: action.priority,
                    command: workshop.command(arguments, of: action, nil),
                    condition: workshop.condition(of: action, nil),
                    logger: workshop.logger
                )
            )
        }
        return orchestrator
    }
}

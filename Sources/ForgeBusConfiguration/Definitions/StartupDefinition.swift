import ForgeOrchestrator

/// Makes the sequence that executes the startup actions of a file.
struct StartupDefinition {
    let workshop: Workshop

    /// Reads the sequence, and records every problem.
    func sequence(_ entry: Entry) -> SequenceOrchestrator {
        let orchestrator = SequenceOrchestrator(logger: workshop.logger)
        for action in ActionDefinition.actions(entry, .startup) {
            switch action.work {
            case .run(let line):
                orchestrator.register(
                    CommandStartupAction(
                        id: action.id,
                        priority: action.priority,
                        command: workshop.command(line, of: action, nil),
                        condition: workshop.condition(of: action, nil),
                        logger: workshop.logger
                    )
                )
            // The reader of actions has refused these.
            case .gate, .post, .request: break
            }
        }
        return orchestrator
    }
}

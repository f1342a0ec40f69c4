import Testing

/// What the documentation of ForgeOrchestrator says does not compile.
@Suite("With actions, what would be a mistake does not compile")
struct ActionMisuseTests {
    private static func action(_ protocols: String, _ work: String) -> String {
        """
        struct Action: \(protocols) {
            let id: ActionID = "a"
            let priority: ActionPriority = .low
            func shouldRun() async -> Bool { true }
            \(work)
        }
        """
    }

    private static let mistakes = [
        Mistake(
            description: "a sequence action that may fail and does nothing",
            code: action("SequenceAction, FallibleAction", ""),
            message: "does not conform to protocol 'FallibleAction'"
        ),
        Mistake(
            description: "a monitor action that may fail, with its function misspelt",
            code: action("MonitorAction, FallibleAction", "func runs() async -> ActionResult { .completed }"),
            message: "does not conform to protocol 'FallibleAction'"
        ),
        Mistake(
            description: "a monitor action that has only a run()",
            code: action("MonitorAction", "func run() async -> ActionResult { .completed }"),
            message: "does not conform to protocol 'MonitorAction'"
        ),
        Mistake(
            description: "a pipeline action with its function misspelt",
            code: action(
                "PipelineAction",
                "func executes(context: PipelineContext) async -> ActionResult { .completed }"
            ),
            message: "does not conform to protocol 'PipelineAction'"
        ),
        Mistake(
            description: "a value of another type than its key's",
            code: "func f(_ context: PipelineContext, _ key: ContextKey<Int>) { context[key] = \"text\" }",
            message: "'String'"
        ),
    ]

    @Test("is refused by the compiler")
    func isRefused() async throws { try await Self.mistakes.areRefused(importing: "ForgeOrchestrator") }
}

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
            testDescription: "a sequence action that may fail and does nothing",
            code: action("SequenceAction, FallibleAction", ""),
            message: "does not conform to protocol 'FallibleAction'"
        ),
        Mistake(
            testDescription: "a monitor action that may fail, with its function misspelt",
            code: action("MonitorAction, FallibleAction", "func runs() async -> ActionResult { .completed }"),
            message: "does not conform to protocol 'FallibleAction'"
        ),
        Mistake(
            testDescription: "a monitor action that has only a run()",
            code: action("MonitorAction", "func run() async -> ActionResult { .completed }"),
            message: "does not conform to protocol 'MonitorAction'"
        ),
        Mistake(
            testDescription: "a pipeline action with its function misspelt",
            code: action(
                "PipelineAction",
                "func executes(context: PipelineContext) async -> ActionResult { .completed }"
            ),
            message: "does not conform to protocol 'PipelineAction'"
        ),
        Mistake(
            testDescription: "a value of another type than its key's",
            code: "func f(_ context: PipelineContext, _ key: ContextKey<Int>) { context[key] = \"text\" }",
            message: "'String'"
        ),
    ]

    @Test("is refused by the compiler", arguments: mistakes)
    func isRefused(_ mistake: Mistake) async throws { try await mistake.isRefused(importing: "ForgeOrchestrator") }
}

public import ForgeOrchestrator

extension BenchActions {
    /// Makes three actions that each read and write one value, like the pipeline of a news feed without the real work.
    public static func feed() -> [any PipelineAction] {
        [
            FeedAction<String, String>(id: "load", priority: .high, reads: "user", writes: "posts") { $0 },
            FeedAction<Int, Int>(id: "limit", priority: .medium, reads: "limit", writes: "count") { $0 + 1 },
            FeedAction<[String], String>(id: "render", priority: .low, reads: "tags", writes: "feed") { $0[0] },
        ]
    }
}

private struct FeedAction<Input: Sendable, Output: Sendable>: PipelineAction {
    let id: ActionID
    let priority: ActionPriority
    let reads: String
    let writes: String
    let transform: @Sendable (Input) -> Output

    @inline(never) func shouldRun() async -> Bool { true }

    @inline(never) func execute(context: PipelineContext) async -> ActionResult {
        guard let input: Input = context.get(reads) else { return .skipped }
        context.set(writes, transform(input))
        return .completed
    }
}

import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// A pipeline's action that sends an HTTP POST.
///
/// A JSON answer is set in the context under the key `outputs.ID`, where ID is the action's id.
struct PostPipelineAction: PipelineAction {
    let id: ActionID
    let priority: ActionPriority
    let requires: Set<ActionID>
    let post: Post
    let condition: CommandCondition?

    func shouldRun() async -> Bool { await shouldRun(context: PipelineContext()) }

    func shouldRun(context: PipelineContext) async -> Bool { await condition?.needsAction(in: context) ?? true }

    func execute(context: PipelineContext) async -> ActionResult {
        var object = JSONObject()
        for (name, source) in post.members { object[name] = source.value(in: context) }
        guard let url = post.url.text(in: context) else {
            return .failed(Errors.otherPath(post.url.origin + post.url.target.text))
        }
        let outcome = await post.send(
            object,
            to: url,
            id: context.actionToken ?? id.rawValue,
            traceparent: context.traceparent,
            masking: { context.masked($0) }
        )
        if let value = outcome.value { context.set(CommandText.key(of: id), value.swiftValue ?? JSONValue.null) }
        context.keepPrinted(output: outcome.printed, result: outcome.result)
        return outcome.result
    }
}

/// A monitor's action that sends an HTTP POST in each cycle that needs it.
struct PostMonitorAction: MonitorAction, FallibleAction {
    let id: ActionID
    let priority: ActionPriority
    let monitor: Name
    let post: Post
    let condition: CommandCondition?

    func shouldRun() async -> Bool { await condition?.holds(input: MonitorCauses.current.document) ?? true }

    func run() async -> ActionResult {
        var object = JSONObject()
        for case (let name, .cause(let source)) in post.members {
            object[name] = source.value(of: MonitorCauses.current)
        }
        // Each cycle's request has a token of its own, so that the receiver does not take it for a repeated request.
        let token = "\(monitor)/\(id)/\(RequestID.random())"
        return await post.send(object, to: post.url.text, id: token).result
    }
}

extension PostDefinition.Source {
    /// The value in a run; nil if the run has none, so that the object lacks the member.
    fileprivate func value(in context: PipelineContext) -> JSONValue? {
        switch self {
        case .value(let source): source.value(in: context)
        case .text(let template): .string(template.text(in: context) { context.masked($0) })
        case .cause: nil
        }
    }
}

import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// A pipeline's action that runs a command.
///
/// The command reads the context as JSON from its standard input. If the command writes a JSON object, the object's
/// members are set in the context. A text that does not begin with `{` is set under the key `outputs.ID`, where ID is
/// the action's id.
struct CommandPipelineAction: PipelineAction {
    let id: ActionID
    let priority: ActionPriority
    let requires: Set<ActionID>
    let command: Command
    let condition: CommandCondition?

    func shouldRun() async -> Bool { await shouldRun(context: PipelineContext()) }

    func shouldRun(context: PipelineContext) async -> Bool {
        await condition?.needsAction(in: context) ?? true
    }

    func execute(context: PipelineContext) async -> ActionResult {
        let run = await command.run(input: context.document, variables: context.actionVariables)
        let result = result(of: run, in: context)
        context.keepPrinted(output: run.output.printed, errors: run.errors.printed, result: result)
        return result
    }

    /// Sets the output of a successful command in the context.
    ///
    /// - Returns: The result of the action: the command's result, or a failure if the written document is invalid.
    private func result(of run: CommandResult, in context: PipelineContext) -> ActionResult {
        guard case .completed = run.actionResult, !run.output.isBlank else { return run.actionResult }
        guard run.output.isDocument else {
            context.set(CommandText.key(of: id), CommandText(run.output, in: context).text)
            return .completed
        }
        do throws(BusError) {
            for member in try Self.members(of: run.output.bytes, isShown: !context.hasSecrets) {
                context.set(member.key, member.value.swiftValue ?? JSONValue.null)
            }
            return .completed
        } catch {
            return .failed(Errors.notObject(error))
        }
    }

    /// The members of the one JSON object in `output`.
    ///
    /// - Throws: `BusError` if `output` is not one JSON object. If `isShown`, the message quotes the invalid text.
    private static func members(of output: [UInt8], isShown: Bool) throws(BusError) -> [JSONObject.Entry] {
        let value = isShown ? try JSONValue(parsingShown: output[...]) : try JSONValue(parsing: output[...])
        return value.object?.entries ?? []
    }
}

/// A text that a command wrote to its standard output, as a value of the context.
struct CommandText {
    /// The text without the line breaks at its end.
    ///
    /// If only the end of the text was kept, a line at the start says how many bytes are left out.
    let text: String

    init(_ output: CommandOutput, in context: PipelineContext) {
        let printed = output.printed
        let end = String(printed.text.reversed().drop { $0.isNewline }.reversed())
        // Masked before the line is added: `masked` finds the rest of a cut secret only at the start of a text.
        let isCut = printed.omittedBytes > 0
        text = isCut ? "[the first \(printed.omittedBytes) bytes are left out]\n\(context.masked(end))" : end
    }

    /// The key of the text that the action `id` wrote.
    static func key(of id: ActionID) -> String { "outputs.\(id.rawValue)" }
}

extension CommandOutput {
    /// The end of the output, in the form in which the worker keeps it with the run.
    fileprivate var printed: PrintedText { PrintedText(endOf: bytes, sizeInBytes: sizeInBytes) }
}

extension PipelineContext {
    /// The context as the JSON document that a command reads: all values that have a JSON form, sorted by key.
    var document: [UInt8] {
        var object = JSONObject()
        for (key, value) in written.sorted(by: { $0.key < $1.key }) {
            object[key] = JSONValue(contextValue: value)
        }
        return JSONValue.object(object).encoded
    }

    /// The environment variables that identify the run, and the trace that it belongs to.
    var runVariables: [String: String] {
        var variables = runID.map { ["FORGE_RUN": $0.text] } ?? [:]
        variables["TRACEPARENT"] = traceparent
        return variables
    }

    /// The environment variables for the command of an action.
    ///
    /// They identify the run, the attempt and the token of the action, and say whether an earlier worker started the
    /// run.
    var actionVariables: [String: String] {
        guard let actionToken else { return runVariables }
        var variables = runVariables
        variables["FORGE_TOKEN"] = actionToken
        variables["FORGE_ATTEMPT"] = "\(attempt)"
        if isResumed { variables["FORGE_RESUMED"] = "1" }
        return variables
    }
}

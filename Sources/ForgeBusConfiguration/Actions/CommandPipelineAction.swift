import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// A pipeline's action that runs a command.
///
/// The command reads the context as JSON from its standard input. The members of the JSON object that it writes are set
/// in the context.
struct CommandPipelineAction: PipelineAction {
    let id: ActionID
    let priority: ActionPriority
    let requires: Set<ActionID>
    let command: Command
    let condition: CommandCondition?

    func shouldRun() async -> Bool { await shouldRun(context: PipelineContext()) }

    func shouldRun(context: PipelineContext) async -> Bool {
        await condition?.holds(
            input: context.document,
            variables: context.runVariables,
            masking: { context.masked($0) }
        ) ?? true
    }

    func execute(context: PipelineContext) async -> ActionResult {
        let result = await command.run(input: context.document, variables: context.actionVariables)
        guard case .completed = result.actionResult else { return result.actionResult }
        do throws(BusError) {
            for member in try Self.members(of: result.output) {
                context.set(member.key, member.value.swiftValue ?? JSONValue.null)
            }
            return .completed
        } catch {
            return .failed("its standard output is not one JSON object: \(error.message)")
        }
    }

    /// The members of the one JSON object in `output`; empty if there is only white space.
    ///
    /// - Throws: `BusError` if `output` is not one JSON object.
    private static func members(of output: [UInt8]) throws(BusError) -> [JSONObject.Entry] {
        if output.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) { return [] }
        let value = try JSONValue(parsing: output[...])
        guard let object = value.object else {
            throw BusError(.badBody, "Found a value of type \(value.typeName).", next: "Write one JSON object.")
        }
        return object.entries
    }
}

extension PipelineContext {
    /// The JSON document of the context that a command reads: all values that have a JSON form, sorted by key.
    var document: [UInt8] {
        var object = JSONObject()
        for (key, value) in written.sorted(by: { $0.key < $1.key }) {
            object[key] = JSONValue(contextValue: value)
        }
        return JSONValue.object(object).encoded
    }

    /// The environment variables that identify the run.
    var runVariables: [String: String] {
        runID.map { ["FORGE_RUN": $0.text] } ?? [:]
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

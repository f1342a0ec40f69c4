import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// An action of a pipeline that runs a command: the context goes in as JSON, and what comes out goes into the context.
struct CommandPipelineAction: PipelineAction {
    let id: ActionID
    let priority: ActionPriority
    let requires: Set<ActionID>
    let command: Command
    let condition: CommandCondition?

    func shouldRun() async -> Bool { await shouldRun(context: PipelineContext()) }

    func shouldRun(context: PipelineContext) async -> Bool {
        await condition?.holds(input: context.document, variables: context.runVariables) ?? true
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

    /// The members of the one object in `output`; none if there is nothing but white space.
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
    /// What a command reads of the context: its values that have a JSON form, in the order of their keys.
    var document: [UInt8] {
        var object = JSONObject()
        for (key, value) in written.sorted(by: { $0.key < $1.key }) {
            object[key] = JSONValue(contextValue: value)
        }
        return JSONValue.object(object).encoded
    }

    /// The variables of the environment that say which run this is.
    var runVariables: [String: String] {
        runID.map { ["FORGE_RUN": $0.text] } ?? [:]
    }

    /// The variables of the environment of what has an effect: also which attempt this is, what makes it single, and whether
    /// an earlier worker took the run up.
    var actionVariables: [String: String] {
        guard let actionToken else { return runVariables }
        var variables = runVariables
        variables["FORGE_TOKEN"] = actionToken
        variables["FORGE_ATTEMPT"] = "\(attempt)"
        if isResumed { variables["FORGE_RESUMED"] = "1" }
        return variables
    }
}

import ForgeOrchestrator
import Logging

/// What all commands of a file have in common, and how they are made.
struct Workshop {
    /// The file's directory, absolute.
    let directory: String
    /// The environment of the worker; a command gets four variables of it.
    let environment: [String: String]
    let limit: ConditionLimit
    /// Where it is kept which of them execute.
    let book: CommandBook
    let logger: Logger

    /// The variables a command gets of the worker's own environment.
    static let inherited = ["PATH", "LANG", "HOME", "TRACEPARENT"]

    /// A command of an action.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments.
    ///   - action: Whose command it is.
    ///   - owner: The variable that names the pipeline or monitor, with its value; nil at start-up.
    /// - Returns: The command, which nothing has started yet.
    func command(_ arguments: [String], of action: ActionDefinition, _ owner: (name: String, value: String)?) -> Command
    {
        var variables = environment.filter { Self.inherited.contains($0.key) }
        variables.merge(action.environment) { _, listed in listed }
        variables["FORGE_ACTION"] = action.id.rawValue
        if let owner { variables[owner.name] = owner.value }
        var command = Command(
            arguments: arguments,
            directory: directory,
            environment: variables,
            timeLimit: action.timeLimit
        )
        command.book = book
        return command
    }

    /// The condition of an action, if it has one.
    func condition(of action: ActionDefinition, _ owner: (name: String, value: String)?) -> CommandCondition? {
        action.when.map {
            CommandCondition(command: command($0, of: action, owner), limit: limit, logger: logger)
        }
    }
}

import ForgeBusProtocol
import ForgeOrchestrator
import Logging

/// Makes the commands of a file, with their common settings.
struct Workshop {
    /// The absolute path of the file's directory, in which the commands run.
    let directory: String
    /// The environment of the worker; a command inherits the variables in ``inherited``.
    let environment: [String: String]
    let limit: ConditionLimit
    /// The record of the commands that runs execute now, in a file beside the store.
    let book: CommandBook
    /// The lease of the worker's store; nil if no other process can take the store over.
    let lease: CommandLease?
    /// The list that gets the program of each command.
    let programs: ProgramList
    /// The list that gets the place of each request of a run.
    let requests: RequestPlaces
    /// Sends the requests of `post:`; nil if the program has no HTTP client.
    let poster: (any HTTPPoster)?
    /// The list that gets the secrets of posts and webhooks.
    let secrets: SecretList
    /// The list that gets the gates.
    let gates: GateList
    let logger: Logger

    /// The variables that a command inherits from the worker.
    static let inherited = ["PATH", "LANG", "HOME", "TRACEPARENT"]

    /// Makes a command of an action.
    ///
    /// - Parameters:
    ///   - line: The program and its arguments.
    ///   - action: The action that the command belongs to.
    ///   - owner: The variable that names the pipeline or monitor, with its value; nil for a startup action.
    /// - Returns: The command, not started.
    func command(_ line: CommandDefinition, of action: ActionDefinition, _ owner: (name: String, value: String)?)
        -> Command
    {
        var variables = environment.filter { Self.inherited.contains($0.key) }
        variables.merge(action.environment) { _, listed in listed }
        variables["FORGE_ACTION"] = action.id.rawValue
        if let owner { variables[owner.name] = owner.value }
        var command = Command(
            arguments: line.arguments,
            directory: directory,
            environment: variables,
            timeLimit: action.timeLimit
        )
        command.book = book
        command.lease = lease
        programs.add(command, at: line.entry)
        return command
    }

    /// The secret in the file whose path is the value of `entry`; nil after recording that there is no path.
    func secret(_ entry: Entry, isKey: Bool) -> SigningSecret? {
        secrets.secret(entry, isKey: isKey)
    }

    /// Makes the POST of an action; nil after recording that the program has no HTTP client.
    func post(_ definition: PostDefinition, of action: ActionDefinition) -> Post? {
        guard let poster else {
            definition.entry.note(Errors.noPoster)
            return nil
        }
        let secret = definition.secretFile.flatMap { self.secret($0, isKey: true) }
        return Post(
            url: definition.url,
            members: definition.members.map { ($0.name, $0.source) },
            secret: secret,
            timeLimit: action.timeLimit,
            poster: poster,
            lease: lease
        )
    }

    /// Makes the condition of an action; nil if the action has no key `when`.
    func condition(of action: ActionDefinition, _ owner: (name: String, value: String)?) -> CommandCondition? {
        action.when.map {
            CommandCondition(command: command($0, of: action, owner), limit: limit, logger: logger)
        }
    }
}

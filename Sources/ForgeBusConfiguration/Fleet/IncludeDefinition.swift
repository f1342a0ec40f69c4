import ForgeBusProtocol

/// A command of an inventory that prints workers.
struct IncludeDefinition {
    private let entry: Entry
    private let line: CommandDefinition
    private let timeLimit: Duration

    static let usualTimeLimit = Duration.seconds(30)
    /// The most commands of an inventory, because all of them run at the same time.
    static let maximumCount = 16

    /// Reads the list of commands, and records every problem.
    static func includes(_ entry: Entry) -> [IncludeDefinition] {
        let elements = entry.someElements("a list of commands that print workers", isOptional: true) ?? []
        if elements.count > maximumCount { entry.note(Errors.tooManyIncludes(elements.count, limit: maximumCount)) }
        return elements.compactMap { IncludeDefinition($0) }
    }

    private init?(_ entry: Entry) {
        guard let fields = Fields(entry, .include) else { return nil }
        let line = fields.required("command")
            .flatMap { CommandDefinition($0) }
        let timeLimit = fields["timeout"].map { _ in fields.time("timeout") } ?? Self.usualTimeLimit
        guard let line, let timeLimit else { return nil }
        (self.entry, self.line, self.timeLimit) = (entry, line, timeLimit)
    }

    // MARK: Running

    /// Runs the commands of `includes` at the same time, and returns their results in the same order.
    static func results(
        of includes: [IncludeDefinition],
        in directory: String,
        _ environment: [String: String]
    ) async -> [CommandResult] {
        let commands = includes.map { include in
            var command = Command(
                arguments: include.line.arguments,
                directory: directory,
                environment: environment,
                timeLimit: include.timeLimit
            )
            command.wholeOutputInBytes = SourceFile.maximumInventorySizeInBytes
            return command
        }
        return await withTaskGroup(of: (Int, CommandResult).self) { group in
            for (index, command) in commands.enumerated() { group.addTask { (index, await command.run()) } }
            let none = Array(repeating: CommandResult(ending: .cancelled), count: commands.count)
            return await group.reduce(into: none) { $0[$1.0] = $1.1 }
        }
    }

    /// What the command has printed; nil after recording why that is of no use.
    func output(_ result: CommandResult, in directory: String) -> SourceFile? {
        let words = line.arguments.joined(separator: " ")
        guard result.ending == .exited(0), !result.output.isBlank else {
            let limit = SourceFile.maximumInventorySizeInBytes
            entry.note(Errors.include(words, result.ending, lastLine: result.errors.lastLine, limit: limit))
            return nil
        }
        do throws(ConfigurationError) {
            return try SourceFile(bytes: result.output.bytes, name: Errors.output(of: words), directory: directory)
        } catch {
            entry.problems.add(error)
            return nil
        }
    }
}

import Logging

/// A `when:` of the worker file: a command whose exit status is the answer, 0 for yes and 1 for no.
struct CommandCondition: Sendable {
    /// The condition's answer.
    enum Answer: Sendable {
        case yes
        case no
        /// Any other outcome: the command failed, took too long, or could not be started.
        ///
        /// `hasExited` is false if the command has no exit status.
        case unclear(String, hasExited: Bool)
    }

    let command: Command
    let limit: ConditionLimit
    let logger: Logger

    /// Whether the answer is yes; an unclear answer is logged and counts as no.
    ///
    /// - Parameters:
    ///   - input: The command's standard input.
    ///   - variables: The variables to add to the command's environment.
    ///   - masking: Removes secrets from the text that is logged.
    /// - Returns: True for yes.
    func holds(
        input: [UInt8] = [],
        variables: [String: String] = [:],
        masking: (String) -> String = { $0 }
    ) async -> Bool {
        switch await ask(input, variables) {
        case .yes: return true
        case .no: return false
        case .unclear(let reason, let hasExited):
            warn(masking(reason), hasExited, countsAs: "no")
            return false
        }
    }

    /// Whether the answer is yes or unclear; an unclear answer is logged and counts as yes.
    ///
    /// - Parameters:
    ///   - input: The command's standard input.
    ///   - variables: The variables to add to the command's environment.
    ///   - masking: Removes secrets from the text that is logged.
    /// - Returns: False only for no.
    func isNotDenied(
        input: [UInt8],
        variables: [String: String],
        masking: (String) -> String = { $0 }
    ) async -> Bool {
        switch await ask(input, variables) {
        case .yes: return true
        case .no: return false
        case .unclear(let reason, let hasExited):
            warn(masking(reason), hasExited, countsAs: "yes")
            return true
        }
    }

    private func ask(_ input: [UInt8], _ variables: [String: String]) async -> Answer {
        let result: CommandResult
        do throws(CancellationError) {
            result = try await limit.run { await command.run(input: input, variables: variables) }
        } catch {
            return .unclear("the worker cancelled it", hasExited: false)
        }
        return switch result.ending {
        case .exited(0): .yes
        case .exited(1): .no
        case .exited: .unclear(result.reason, hasExited: true)
        default: .unclear(result.reason, hasExited: false)
        }
    }

    private func warn(_ reason: String, _ hasExited: Bool, countsAs answer: String) {
        var metadata: Logger.Metadata = [
            "action": "\(command.environment["FORGE_ACTION"] ?? "")",
            "command": "\(command.arguments[0])",
            "reason": "\(reason)",
            "counts_as": "\(answer)",
        ]
        metadata["pipeline"] = command.environment["FORGE_PIPELINE"].map { .string($0) }
        metadata["monitor"] = command.environment["FORGE_MONITOR"].map { .string($0) }
        logger.warning(
            Errors.unclearCondition(hasExited: hasExited, isCancelled: Task.isCancelled, countsAs: answer),
            metadata: metadata
        )
    }
}

import Subprocess

/// A program that may not be here.
enum Tool {
    static func run(_ name: String, _ arguments: String...) async throws -> (isSuccess: Bool, text: String) {
        let ended = try await Subprocess.run(
            .name(name),
            arguments: Arguments(arguments),
            output: .string(limit: 1 << 20),
            error: .combinedWithOutput
        )
        return (ended.terminationStatus.isSuccess, ended.standardOutput)
    }

    /// Whether it is here and succeeds.
    static func works(_ name: String, _ arguments: String...) async -> Bool {
        let ended = try? await Subprocess.run(
            .name(name),
            arguments: Arguments(arguments),
            output: .discarded,
            error: .discarded
        )
        return ended?.terminationStatus.isSuccess ?? false
    }
}

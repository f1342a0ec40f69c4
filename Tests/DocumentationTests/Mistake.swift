import Testing

/// Code that must not compile, and part of what the compiler says of it.
struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: String
    let message: String

    /// Records an issue unless the compiler refuses the code for that reason.
    func isRefused(importing module: String) async throws {
        let text = "```swift\nimport \(module)\n\n\(code)\n```\n"
        let errors = try await Compiler().errors(in: Document(markdown: text, path: "mistake.md"))
        #expect(errors.contains { $0.message.contains(message) }, "\(errors.map(\.message))")
    }
}

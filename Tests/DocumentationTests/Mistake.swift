import Testing

/// Code that must not compile, and part of what the compiler says of it.
struct Mistake: Sendable {
    let description: String
    let code: String
    let message: String
}

extension [Mistake] {
    /// Records an issue for each that the compiler does not refuse for its reason.
    func areRefused(importing module: String) async throws {
        let documents = map { mistake in
            let text = "```swift\nimport \(module)\n\n\(mistake.code)\n```\n"
            return Document(markdown: text, path: mistake.description)
        }
        let errors = try await Compiler().errors(beside: documents)
        for mistake in self {
            let messages = errors.filter { $0.path == mistake.description }.map(\.message)
            #expect(messages.contains { $0.contains(mistake.message) }, "\(mistake.description): \(messages)")
        }
    }
}

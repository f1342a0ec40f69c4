import Testing

/// What the client's page says does not compile.
@Suite("With a client, what would be a mistake does not compile")
struct ClientMisuseTests {
    @Test(
        "a name of one kind where another is wanted",
        arguments: [
            ("try await client.complete(run)", "'SignalID'"), ("try await client.cancel(signal)", "'RunID'"),
            ("try await client.run(topic)", "'PipelineName'"), ("try await client.notify(pipeline)", "'Topic'"),
        ]
    )
    func otherKind(_ call: String, _ expected: String) async throws {
        let text = """
            ```swift
            import ForgeBusClient
            import ForgeBusProtocol

            func mistake(_ client: BusClient, _ run: RunID, _ signal: SignalID, _ topic: Topic, _ pipeline: PipelineName) async throws {
                _ = \(call)
            }
            ```
            """
        let errors = try await Compiler().errors(in: Document(markdown: text, path: "mistake.md"))
        #expect(errors.contains { $0.message.contains(expected) }, "\(errors.map(\.message))")
    }
}

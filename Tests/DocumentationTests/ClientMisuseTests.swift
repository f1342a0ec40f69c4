import Testing

/// What the client's page says does not compile.
@Suite("With a client, what would be a mistake does not compile")
struct ClientMisuseTests {
    private static let mistakes = [
        ("try await client.complete(run)", "'SignalID'"), ("try await client.cancel(signal)", "'RunID'"),
        ("try await client.run(topic)", "'PipelineName'"), ("try await client.notify(pipeline)", "'Topic'"),
    ].map { call, expected in
        Mistake(
            description: call,
            code: """
                import ForgeBusProtocol

                func mistake(_ client: BusClient, _ run: RunID, _ signal: SignalID, _ topic: Topic, _ pipeline: PipelineName) async throws {
                    _ = \(call)
                }
                """,
            message: expected
        )
    }

    @Test("a name of one kind where another is wanted")
    func otherKind() async throws { try await Self.mistakes.areRefused(importing: "ForgeBusClient") }
}

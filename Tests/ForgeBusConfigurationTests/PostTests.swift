import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusConfiguration

@Suite("An action that sends a POST")
struct PostTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func action(_ text: String, _ poster: RecordingPoster) throws -> any PipelineAction {
        let yaml = "pipelines: {p: {seeds: {v: {type: integer}}, actions: [{id: a, \(text)}]}}\n"
        return try #require(
            try WorkerFile(yaml, in: directory, poster: poster).pipelines.first?.orchestrator.registered.first
        )
    }

    @Test("is refused in a program without an HTTP client, and the message says why")
    func withoutClient() throws {
        let yaml = "pipelines: {p: {actions: [{id: a, post: \"http://localhost/\"}]}}\n"
        let error = #expect(throws: ConfigurationError.self) { try WorkerFile(yaml, in: directory, poster: nil) }
        #expect(error?.message == Errors.noPoster.message)
        #expect(error?.key == "pipelines.p.actions[0].post")
    }

    @Test("sends the values with their types, leaves out what is missing, and fills texts")
    func body() async throws {
        let poster = RecordingPoster()
        let send = #"{n: "{seed.v}", t: "v{seed.v}-{value.x}", gone: "{value.y}", list: [1, a], brace: "{{v}"}"#
        let action = try action(#"post: "https://a.example/{seed.v}/{value.x}?q={value.y}", send: \#(send)"#, poster)
        let result = await action.execute(context: PipelineContext(["v": 7, "x": "a/b ü"]))
        #expect(result == .completed)
        let post = try #require(poster.sent.first)
        #expect(post.url == "https://a.example/7/a%2Fb%20%C3%BC?q=")
        #expect(String(decoding: post.body, as: UTF8.self) == #"{"n":7,"t":"v7-a/b ü","list":[1,"a"],"brace":"{v}"}"#)
        #expect(post.timeLimit == .seconds(60))
    }

    @Test("leaves a JSON answer in the context, and no other answer", arguments: [true, false])
    func answers(isWhole: Bool) async throws {
        let answer = HTTPPostAnswer(
            status: 201,
            mediaType: "application/json",
            body: Array(#"{"id":7}"#.utf8),
            isWhole: isWhole
        )
        let action = try action(#"post: "http://a.example""#, RecordingPoster(answer))
        let context = PipelineContext()
        #expect(await action.execute(context: context) == .completed)
        #expect((context.get("outputs.a") as [String: any Sendable]?)?["id"] as? Int == (isWhole ? 7 : nil))
    }
}

import ForgeBusConfiguration
import Testing

@Suite("The webhooks of a worker's file")
struct WebhookFileTests {
    @Test("are read for a gateway without what only the worker needs: its keys and endpoints")
    func gateway() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            """
            worker: {listen: ["tcp://0.0.0.0:7717"]}
            pipelines: {deploy: {actions: [{id: tell, post: "https://chat.example.org/x"}]}}
            webhooks: {github: {signature: github, secret_file: secret, topic: pushed}}
            """,
            to: "worker.yaml"
        )
        #expect(throws: ConfigurationError.self) {
            try WorkerFile(contentsOf: directory.file("worker.yaml"), environment: [:])
        }
        #expect(try WorkerFile.webhooks(contentsOf: directory.file("worker.yaml")).keys.sorted() == ["github"])
        try directory.write("webhook: {}", to: "wrong.yaml")
        #expect(throws: ConfigurationError.self) { try WorkerFile.webhooks(contentsOf: directory.file("wrong.yaml")) }
    }
}

import ForgeBusConfiguration
import Foundation
import TestSupport
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

    @Test("have secrets of at most 4096 bytes: a longer one is an error, and not cut", arguments: [4096, 4097])
    func secret(size: Int) throws {
        let directory = try TemporaryDirectory()
        try directory.write("webhooks: {gitlab: {signature: gitlab, secret_file: s, topic: pushed}}", to: "worker.yaml")
        try directory.write(String(repeating: "x", count: size), to: "s")
        #expect(chmod(directory.file("s"), 0o600) == 0)
        let webhook = try #require(try WorkerFile.webhooks(contentsOf: directory.file("worker.yaml"))["gitlab"])
        let secret = Result { try webhook.secret() }
        #expect((try? secret.get().count) == (size > 4096 ? nil : size))
    }
}

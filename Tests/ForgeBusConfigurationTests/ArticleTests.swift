import Foundation
import TestSupport
import Testing

@testable import ForgeBusConfiguration

@Suite("The article about the file")
struct ArticleTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    static func article() throws -> String {
        try Repository.text(of: "Sources/ForgeBusConfiguration/ForgeBusConfiguration.docc/TheWorkerFile.md")
    }

    /// The YAML blocks of the article.
    static func examples() throws -> [String] {
        let parts = try article().components(separatedBy: "```yaml\n").dropFirst()
        return parts.map { String($0.prefix(upTo: $0.range(of: "```")?.lowerBound ?? $0.endIndex)) }
    }

    @Test("has examples that can be read as they stand")
    func load() throws {
        let examples = try Self.examples()
        #expect(!examples.isEmpty)
        for example in examples { _ = try WorkerFile(example, in: directory) }
    }

    @Test("shows a worker that is what the article says it is")
    func content() throws {
        let file = try WorkerFile(#require(try Self.examples().first), in: directory)
        #expect(file.configuration.name == "deployer")
        #expect(file.monitors.map(\.name.text) == ["certificates"])
        #expect(file.monitors[0].topics == ["certificates.>"])
        #expect(file.pipelines.map(\.name.text) == ["deploy"])
        let rollout = file.pipelines[0].orchestrator.registered.last
        #expect(rollout?.requires == ["build", "approve"])
        #expect(file.startup != nil)
    }
}

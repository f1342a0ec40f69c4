import ForgeBusProtocol
import Foundation
import TestSupport
import Testing

@testable import ForgeBusConfiguration
@testable import ForgeBusWorker

@Suite("An access file")
struct AccessFileTests {
    private let deployer = AccessPolicy.Principal("deployer")

    private func policy(_ yaml: String) throws -> AccessPolicy {
        try AccessFile(yaml: yaml, name: "access.yaml").policy
    }

    @Test("gives each principal its keys, and what its rights and roles allow and deny")
    func whole() throws {
        let policy = try policy(
            """
            roles:
              approver:
                complete: {allow: ["deploy.*.approve"], deny: ["deploy.prod.>"]}
                read: ["signal.>"]
            principals:
              deployer:
                keys: ["\(ExampleKeys.client)", "\(ExampleKeys.server)"]
                roles: [approver]
                notify: ["stock.>"]
                run: [deploy]
                read: ["run.deploy.>", worker]
              idler:
                keys: ["\(String(repeating: "0", count: 40))"]
            """
        )
        for key in [ExampleKeys.client, ExampleKeys.server] {
            #expect(policy.principal(forKey: try AccessPolicy.key(key)) == deployer)
        }
        #expect(policy.principalNames == ["deployer", "idler"])
        func may(_ right: AccessPolicy.Right, _ target: NamePattern) -> Bool {
            policy.ruling(for: deployer, right, on: .every(target)) == .allowed
        }
        #expect(may(.notify, "stock.changed") && !may(.notify, "stock") && !may(.notify, ">"))
        #expect(may(.run, "deploy") && !may(.run, "feed") && !may(.cancel, "deploy"))
        #expect(may(.complete, "deploy.test.approve") && !may(.complete, "deploy.prod.approve"))
        #expect(may(.read, "signal.>") && may(.read, "run.deploy.run-7") && !may(.read, "run.>"))
        #expect(may(.read, "worker") && !may(.read, "worker.a"))
        #expect(policy.ruling(for: AccessPolicy.Principal("idler"), .notify, on: .name("stock.changed")) != .allowed)
    }

    @Test("has the tokens of its principals, with their scopes and ends")
    func tokens() throws {
        let hashes = ["0a", "1b", "2c"].map { String(repeating: $0, count: 32) }
        let file = try AccessFile(
            yaml: """
                principals:
                  ada:
                    keys: []
                    tokens:
                      - {hash: "\(hashes[0])"}
                      - {hash: \(hashes[1]), scope: [read, complete], expires: 2027-01-31}
                  ben: {keys: [], tokens: [{hash: \(hashes[2]), expires: "2027-01-31T12:00:00Z"}]}
                """,
            name: "access.yaml"
        )
        let midnight = Date(timeIntervalSince1970: 1_801_353_600)
        #expect(
            file.tokens == [
                AccessFile.Token(principal: "ada", hash: hashes[0], scope: nil, expiry: nil),
                AccessFile.Token(principal: "ada", hash: hashes[1], scope: [.read, .complete], expiry: midnight),
                AccessFile.Token(principal: "ben", hash: hashes[2], scope: nil, expiry: midnight + 12 * 3600),
            ]
        )
    }

    @Test("with an error names line, column and key, and the word that was probably meant", arguments: BadFile.access)
    func table(_ bad: BadFile) throws {
        let error = #expect(throws: ConfigurationError.self) { try policy(bad.text) }
        guard let error else { return }
        #expect(error.file == "access.yaml")
        bad.check(error)
    }

    @Test("never shows what stands in the place of a key")
    func secrets() throws {
        for text in [ExampleKeys.clientSecret, "hunter2", String(repeating: "%nSc0", count: 8)] {
            let error = #expect(throws: ConfigurationError.self) {
                try policy("principals: {p: {keys: [\"\(text)\", \"\(ExampleKeys.client)\", \"x\"]}}\n")
            }
            #expect(error?.description.contains(text) == false)
        }
    }

    @Test("that somebody else may write is refused, one that others may read is not")
    func permissions() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("access.yaml")
        try directory.write("principals: {p: {keys: [\"\(ExampleKeys.client)\"]}}\n", to: "access.yaml")
        func set(_ mode: Int) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        for mode in [0o600, 0o644, 0o400] {
            try set(mode)
            #expect(try AccessFile(contentsOf: path).policy.principalNames == ["p"])
        }
        for mode in [0o666, 0o620, 0o602] {
            try set(mode)
            let error = #expect(throws: ConfigurationError.self) { try AccessFile(contentsOf: path) }
            #expect(error?.code == .untrusted)
            #expect(error?.message == Errors.fileOpenToOthers(path).message)
        }
    }

    private static func articleText() throws -> String {
        try Repository.text(of: "Sources/ForgeBusConfiguration/ForgeBusConfiguration.docc/TheAccessFile.md")
    }

    @Test("has rights that the article gives the commands of the protocol", arguments: Right.allCases)
    func rights(right: Right) throws {
        let lines = try Self.articleText().split(separator: "\n")
        let row = try #require(lines.first { $0.hasPrefix("| `\(right.rawValue)` |") })
        let named = row.split(separator: "|")[1].split { !$0.isUppercase }.map(String.init)
        let needed = Request.Command.verbs.filter { $0.right == right }.flatMap { $0.words }
        #expect(Set(named) == Set(needed))
    }

    @Test("can be the one of the article")
    func article() throws {
        let parts = try Self.articleText().components(separatedBy: "```yaml\n")
        let example = try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
        let policy = try policy(example)
        #expect(policy.principalNames == ["deployer", "shop"])
        #expect(policy.keys.count == 3)
        #expect(policy.ruling(for: deployer, .complete, on: .name("deploy.7.approve")) == .allowed)
    }

    @Test("that is not there is unreadable")
    func absent() throws {
        let error = #expect(throws: ConfigurationError.self) { try AccessFile(contentsOf: "/nowhere/access.yaml") }
        #expect(error?.code == .unreadable)
    }
}

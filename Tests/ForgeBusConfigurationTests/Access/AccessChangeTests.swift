import ForgeBusConfiguration
import ForgeBusProtocol
import Foundation
import Testing

@Suite("An access file")
struct AccessChangeTests {
    private static let sample = """
        # Who may do what.
        roles:
          approver: {complete: ["deploy.>"]}   # gates
        principals:
          # The shop.
          shop:
            keys: ["Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"]
            notify: ["stock.>"]   # [all]

          bob: {keys: [], roles: [approver]}
        # People.
        groups:
          release: [bob]   # [two]
          night:
            - shop
            - bob
        """

    private func changing(_ text: String, _ body: (String) throws -> Void) throws -> String {
        let directory = URL.temporaryDirectory.appending(path: "access-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "access.yaml")
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        try body(file.path)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["access.yaml"])
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    @Test("gets a principal, its rights and its groups, and keeps all else as it was")
    func add() throws {
        let text = try changing(Self.sample) { path in
            let content = ["keys: []", #"run: ["deploy"]"#]
            let file = try AccessFile.add("ada", content, groups: ["release", "night", "day"], to: path)
            #expect(file.members.map(\.name) == ["shop", "bob", "ada"])
            #expect(file.groups == ["release": ["bob", "ada"], "night": ["shop", "bob", "ada"], "day": ["ada"]])
            #expect(file.members.last?.grants[.run].allow.map(\.text) == ["deploy"])
        }
        let added = [
            "  ada:", "    keys: []", #"    run: ["deploy"]"#, "  release: [bob, ada]   # [two]", "    - ada",
            "  day: [ada]",
        ]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let changed = Self.sample.replacing("  release: [bob]   # [two]", with: "").split(separator: "\n")
        #expect(lines.filter { !added.contains($0) && !$0.isEmpty }.map { $0[...] } == changed)
        #expect(added.allSatisfy(lines.contains))
    }

    @Test("is as it was once the same principal is removed, comments and groups included")
    func both() throws {
        let text = try changing(Self.sample) { path in
            _ = try AccessFile.add(
                "ada",
                ["keys: []", "tokens:", #"  - {hash: "\#(String(repeating: "a", count: 64))"}"#],
                groups: ["release", "night"],
                to: path
            )
            let file = try AccessFile.remove("ada", from: path)
            #expect(file.members.map(\.name) == ["shop", "bob"] && file.tokens.isEmpty)
        }
        #expect(text == Self.sample)
    }

    @Test("is changed by several at the same time, and has all their changes")
    func several() async throws {
        let names = (1...20).map { Name(unchecked: "p\($0)") }
        let directory = URL.temporaryDirectory.appending(path: "access-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "access.yaml").path
        try Data("principals:\n  bob: {keys: []}\n".utf8).write(to: URL(filePath: path))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names {
                group.addTask { _ = try AccessFile.add(name, ["keys: []"], groups: ["all"], to: path) }
            }
            try await group.waitForAll()
        }
        let file = try AccessFile(contentsOf: path)
        #expect(file.groups["all"] == Set(names) && file.members.count == 21)
    }

    @Test("gets no group that is a misspelt one, and loses neither its last principal nor the last of a group")
    func near() throws {
        let text = try changing(Self.sample) { path in
            #expect(throws: ConfigurationError.self) {
                try AccessFile.add("ada", ["keys: []"], groups: ["relaese"], to: path)
            }
            #expect(throws: ConfigurationError.self) { try AccessFile.remove("bob", from: path) }
        }
        #expect(text == Self.sample)
    }

    @Test("gets its first principals, and groups that it does not have")
    func first() throws {
        let one = "principals:\n    bob:\n        keys: []\n"
        let text = try changing(one) { path in
            _ = try AccessFile.add("ada", ["keys: []"], groups: ["release"], to: path)
        }
        #expect(
            text == "principals:\n    bob:\n        keys: []\n    ada:\n      keys: []\n\ngroups:\n  release: [ada]\n"
        )
    }

    @Test(
        "that cannot be changed in place, or would be bad, stays as it is",
        arguments: [
            "principals: {bob: {keys: []}}\n",
            "principals:\n  bob: {keys: []}\ngroups: {release: [bob]}\n",
            "principals:\n  bob: &b {keys: []}\ngroups:\n  release:\n    [bob]\n",
        ]
    )
    func refused(yaml: String) throws {
        let text = try changing(yaml) { path in
            #expect(throws: ConfigurationError.self) {
                try AccessFile.add("ada", ["keys: []"], groups: ["release"], to: path)
            }
            #expect(throws: ConfigurationError.self) { try AccessFile.add("bob", ["keys: []"], groups: [], to: path) }
            #expect(throws: ConfigurationError.self) { try AccessFile.add("local", ["keys: []"], groups: [], to: path) }
            #expect(throws: ConfigurationError.self) { try AccessFile.remove("bob", from: path) }
            #expect(throws: ConfigurationError.self) { try AccessFile.remove("eve", from: path) }
        }
        #expect(text == yaml)
    }
}

import Foundation
import Testing

@Suite("The house")
struct HouseTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("imports downward only")
    func imports() throws {
        let ours = Set(Room.all.map(\.name)).union(Room.programs).union(Room.floors)
        for room in Room.all {
            for file in try swiftFiles(below: "Sources/\(room.name)") {
                let imported = try modules(importedBy: file).intersection(ours)
                for module in imported.subtracting(room.mayImport) {
                    Issue.record("\(room.name) must not import \(module) (\(file.lastPathComponent)): \(room.reason)")
                }
            }
        }
    }

    @Test("keeps what only some folders of a room may import out of the others")
    func folders() throws {
        for rule in FolderRule.all {
            let base = "Sources/\(rule.room)/"
            for file in try swiftFiles(below: base) where try modules(importedBy: file).contains(rule.module) {
                let path = file.path[(file.path.range(of: base)?.upperBound ?? file.path.startIndex)...]
                let folder = path.split(separator: "/").dropLast().first.map(String.init) ?? ""
                #expect(rule.folders.contains(folder), "\(path) must not import \(rule.module): \(rule.reason)")
            }
        }
    }

    @Test("has a rule for each of its rooms")
    func everyRoomHasARule() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Sources").path)
        let known = Set(Room.all.map(\.name)).union(Room.programs).union(Room.floors)
        #expect(Set(folders.filter { !$0.hasPrefix(".") }) == known)
    }

    @Test("keeps its top level")
    func topLevel() throws {
        let entries = try FileManager.default.contentsOfDirectory(atPath: root.path).filter { !$0.hasPrefix(".") }
        let expected: Set = ["Package.swift", "Sources", "Tests", "deploy", "examples", "README.md", "LICENSE"]
        #expect(Set(entries).subtracting(["Package.resolved"]) == expected)
    }

    @Test("keeps C behind one door")
    func oneDoor() throws {
        for file in try swiftFiles(below: "Sources") where try modules(importedBy: file).contains("CZeroMQ") {
            #expect(file.path.contains("/Sources/ZeroMQ/"), "\(file.lastPathComponent) imports CZeroMQ")
        }
    }

    @Test("keeps SQLite behind one door, too")
    func oneDoorToSQLite() throws {
        for file in try swiftFiles(below: "Sources")
        where try !modules(importedBy: file).isDisjoint(with: ["CSQLite", "GRDB"]) {
            #expect(file.path.contains("/Sources/ForgeBusSQLite/"), "\(file.lastPathComponent) imports SQLite")
        }
    }

    @Test("leaves nothing half done, and never swallows an error by force")
    func nothingHalfDone() throws {
        let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "try" + "!"]
        for file in try swiftFiles(below: "Sources") {
            let text = try String(contentsOf: file, encoding: .utf8)
            for mark in marks { #expect(!text.contains(mark), "\(file.lastPathComponent) contains \(mark)") }
        }
    }

    @Test("says why whenever it takes checking out of the compiler's hands")
    func escapesCarryTheirReason() throws {
        for file in try swiftFiles(below: "Sources") {
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n",
                omittingEmptySubsequences: false
            )
            for (index, line) in lines.enumerated()
            where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
                let isComment = line.drop(while: \.isWhitespace).hasPrefix("//")
                let isExplained = index > 0 && lines[index - 1].contains("//") || line.contains("//")
                #expect(isComment || isExplained, "\(file.lastPathComponent):\(index + 1) gives no reason")
            }
        }
    }

    private func swiftFiles(below folder: String) throws -> [URL] {
        let base = root.appending(path: folder)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: base.path)
        return paths.filter { $0.hasSuffix(".swift") }.map { base.appending(path: $0) }
    }

    private func modules(importedBy file: URL) throws -> Set<String> {
        var modules: Set<String> = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let index = words.firstIndex(of: "import"), words[..<index].allSatisfy(isImportModifier) else {
                continue
            }
            let rest = words[(index + 1)...].drop { ["struct", "class", "enum", "func", "protocol"].contains($0) }
            if let name = rest.first { modules.insert(String(name.prefix { $0 != "." })) }
        }
        return modules
    }

    private func isImportModifier(_ word: Substring) -> Bool {
        word.hasPrefix("@") || ["public", "package", "internal", "private", "fileprivate"].contains(word)
    }
}

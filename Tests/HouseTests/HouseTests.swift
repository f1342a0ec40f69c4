import TestSupport
import Testing

@Suite("The house")
struct HouseTests {
    @Test("keeps its top level")
    func topLevel() throws {
        let expected: Set = ["Package.swift", "Sources", "Tests", "deploy", "examples", "README.md", "LICENSE"]
        #expect(try Repository.entries().subtracting(["Package.resolved"]) == expected)
    }

    @Test("keeps C, and SQLite, behind one door each")
    func oneDoor() throws {
        let doors = ["CZeroMQ": "ZeroMQ/", "CSQLite": "ForgeBusSQLite/", "GRDB": "ForgeBusSQLite/"]
        for file in try SourceFile.all(below: "Sources") {
            for (module, door) in doors where file.imports.contains(module) {
                #expect(file.path.hasPrefix(door), "\(file.path) imports \(module)")
            }
        }
    }

    @Test("keeps HTTP in the gateway, which the program may leave out")
    func http() throws {
        let modules: Set = ["Hummingbird", "HTTPTypes", "NIOCore"]
        for file in try SourceFile.all(below: "Sources") where !file.path.hasPrefix("ForgeBusGateway/") {
            #expect(file.imports.isDisjoint(with: modules), "\(file.path)")
            guard file.imports.contains("ForgeBusGateway") else { continue }
            #expect(try Repository.text(of: "Sources/\(file.path)").contains("#if HTTP"), "\(file.path)")
        }
    }

    @Test("has no type of more than 500 lines, over all its files and without comments, without a reason")
    func largeTypes() throws {
        var sizes: [String: Int] = [:]
        for path in try Repository.files(below: "Sources", endingWith: ".swift") {
            let module = path.prefix { $0 != "/" }
            for (type, size) in SourceFile.sizes(of: try lines(of: path)) where type != "Errors" {
                sizes["\(module).\(type)", default: 0] += size
            }
        }
        #expect(Set(sizes.filter { $0.value > LargeTypes.limit }.keys) == Set(LargeTypes.reasons.keys))
    }

    @Test("leaves nothing half done, and never swallows an error by force")
    func nothingHalfDone() throws {
        let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "try" + "!"]
        for path in try Repository.files(below: "Sources", endingWith: ".swift") {
            let text = try Repository.text(of: "Sources/\(path)")
            for mark in marks { #expect(!text.contains(mark), "\(path) contains \(mark)") }
        }
    }

    @Test("says why whenever it takes checking out of the compiler's hands")
    func escapesCarryTheirReason() throws {
        for path in try Repository.files(below: "Sources", endingWith: ".swift") {
            let lines = try lines(of: path)
            for (index, line) in lines.enumerated()
            where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
                let isComment = line.drop(while: \.isWhitespace).hasPrefix("//")
                let isExplained = index > 0 && lines[index - 1].contains("//") || line.contains("//")
                #expect(isComment || isExplained, "\(path):\(index + 1) gives no reason")
            }
        }
    }

    @Test("has no task-local closure, which crashes optimised programs of Swift 6.3")
    func taskLocals() throws {
        for path in try Repository.files(below: "Sources", endingWith: ".swift") {
            for line in try lines(of: path) where line.contains("@TaskLocal") {
                #expect(!line.contains("->"), "\(path): put the closure into a structure, as ExecutionGate does")
            }
        }
    }

    private func lines(of path: String) throws -> [Substring] {
        try Repository.text(of: "Sources/\(path)").split(separator: "\n", omittingEmptySubsequences: false)
    }
}

import TestSupport
import Testing

@Suite("The folders of the worker")
struct WorkerFolderTests {
    private let files: [SourceFile]
    private let zeroMQ: Set<String>

    init() throws {
        files = try SourceFile.all(below: "Sources/ForgeBusWorker")
        // Each module has `Errors` of its own.
        zeroMQ = Set(try SourceFile.all(below: "Sources/ZeroMQ").flatMap(\.types)).subtracting(["Errors"])
    }

    @Test("each have a line in the table")
    func listed() {
        let folders = Set(files.filter { !$0.isFace }.map(\.folder))
        let unknown = folders.subtracting(WorkerFolder.all.map(\.name))
        #expect(unknown == [])
    }

    @Test("use of ZeroMQ what the table says")
    func sockets() {
        let breaking = files.filter { file in
            guard let folder = WorkerFolder.named(file.isFace ? "" : file.folder) else { return false }
            switch folder.zeroMQ {
            case .nothing: return file.imports.contains("ZeroMQ")
            case .only(let names):
                return file.imports.contains("ZeroMQ") && !file.mentions.intersection(zeroMQ).isSubset(of: names)
            case .everything: return false
            }
        }
        #expect(breaking.map(\.path) == [])
    }

    @Test("leave the state of all parts to those who drive it and to what concerns several parts")
    func state() {
        for file in files where file.names.contains("WorkerState") {
            let folder = file.isFace ? "" : file.folder
            #expect(WorkerFolder.named(folder)?.mentionsState == true, "\(file.path) mentions WorkerState")
        }
    }

    @Test("hold the files that the Architecture page sends a reader to")
    func architecture() throws {
        let text = try Repository.text(of: "Sources/ForgeBusWorker/ForgeBusWorker.docc/Architecture.md")
        let named = text.matches(of: /`((?:\w+\/)*[\w+]+\.swift)`/).map { String($0.1) }
        #expect(named.count > 20)
        let known = try Repository.files(below: "Sources", endingWith: ".swift")
        #expect(named.filter { name in !known.contains { "/\($0)".hasSuffix("/" + name) } } == [])
    }

    @Test("have parts of the core that nobody else writes")
    func privacy() throws {
        // A stored property whose setter others see, at the top of a part's declaration.
        let property = Pattern(#"^    (?:package |public )?var \w+(?::[^{]*)?(?: = [^{]*)?$"#)
        for part in WorkerFolder.parts {
            let path = "Sources/ForgeBusWorker/\(part)"
            let lines = try Repository.text(of: path).split(separator: "\n", omittingEmptySubsequences: false)
            let end = lines.firstIndex(of: "}") ?? lines.endIndex
            for line in lines[..<end] { #expect(property.captures(in: String(line)).isEmpty, "\(path): \(line)") }
        }
    }

    @Test("refer to each other without circles, but for what concerns several parts")
    func circles() {
        // The core's own folder has what all parts speak of; an extension of the state may use every part.
        var graph = FolderGraph(of: files.filter { $0.folder != "Core" && !$0.names.contains("WorkerState") })
        while let circle = graph.circle() {
            Issue.record("a circle of folders:\n\(graph.text(of: circle))")
            graph.remove(circle.suffix(1))
        }
    }
}

@Suite("The reading of sources")
struct SourceFileTests {
    private func file(_ path: String, _ text: String) -> SourceFile { SourceFile(path: path, text: text) }

    @Test("sees no name in comments and strings, and none behind a dot")
    func names() {
        let text = ##"""
            // Comment
            /* Block
             Still */ let one: First = "Text \(deep) Text"
            let two = #"Raw \ "Quoted" "# + """
                Lines "of" Text
                """; Second.make(.Third, Module.Fourth)
            """##
        let seen = file("A.swift", text).names
        #expect(seen.isSuperset(of: ["First", "Second", "Module"]))
        let unseen: Set = ["Comment", "Block", "Still", "Text", "deep", "Raw", "Lines", "Third", "Fourth"]
        #expect(seen.isDisjoint(with: unseen))
    }

    @Test("knows the types that others see, and those that hide them")
    func types() {
        let text = """
            @testable import Module
            public import struct Other.Name
            public final class A: B { }
            private struct Hidden { }
            extension C {
                enum D { }
            }
            typealias E = Int
            let kind = Hidden.self
            func take(_ d: D, _ f: F) { }
            """
        let read = file("A.swift", text)
        #expect(read.types == ["A", "E"])
        #expect(read.imports == ["Module", "Other"])
        #expect(read.mentions.isSuperset(of: ["B", "C", "F"]))
        #expect(read.mentions.isDisjoint(with: ["D", "Hidden"]))
    }

    @Test("finds the circle among folders, with an example of each reference")
    func circle() {
        var graph = FolderGraph(of: [
            file("Top.swift", "struct Top { let a: A }"), file("One/A.swift", "struct A { let b: B }"),
            file("Two/B.swift", "struct B { let c: C }"), file("Three/C.swift", "struct C { let a: A }"),
            file("Four/D.swift", "struct D { let a: A }"),
        ])
        #expect(graph.edges.count == 5)
        let circle = graph.circle() ?? []
        #expect(Set(circle.map(\.from)) == ["One", "Two", "Three"])
        #expect(graph.text(of: circle).contains("Three → One: Three/C.swift mentions A"))
        graph.remove(circle.suffix(1))
        #expect(graph.circle() == nil)
    }
}

import Foundation

/// The package this test belongs to, as it is checked out.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The pages outside of the catalogues.
    static let pages = ["README.md", ".github/CONTRIBUTING.md", "deploy/README.md", "examples/README.md"]

    /// The pages, and every article of every catalogue.
    static func articles() throws -> [Document] {
        try (pages + articlePaths()).map { try Document(markdown: text(of: $0), path: $0) }
    }

    static func articlePaths() throws -> [String] {
        try files(below: "Sources") { $0.hasSuffix(".md") && $0.contains(".docc/") }
    }

    /// The documentation comments of every source file.
    static func comments() throws -> [Document] {
        try files(below: "Sources") { $0.hasSuffix(".swift") }
            .map { try Document(comments: text(of: $0), path: $0) }
    }

    /// What holds Swift for readers.
    static func documentsWithSwift() throws -> [Document] { try withSwift.get() }

    /// Reading all sources takes seconds.
    private static let withSwift = Result { try (articles() + comments()).filter { try !$0.swiftBlocks().isEmpty } }

    /// What refers to something else of this package.
    static func documentsWithLinks() throws -> [Document] {
        try (articles() + comments()).filter { try !$0.links().isEmpty }
    }

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    private static func files(below folder: String, _ isWanted: (String) -> Bool) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            .map { "\(folder)/\($0)" }.filter(isWanted).sorted()
    }
}

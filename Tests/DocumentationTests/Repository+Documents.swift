import TestSupport

extension Repository {
    /// The pages outside of the catalogues.
    static let pages = ["README.md", ".github/CONTRIBUTING.md", "deploy/README.md", "examples/README.md"]

    /// The pages, and every article of every catalogue.
    static func articles() throws -> [Document] {
        try (pages + articlePaths()).map { try Document(markdown: text(of: $0), path: $0) }
    }

    static func articlePaths() throws -> [String] {
        try files(below: "Sources", endingWith: ".md").filter { $0.contains(".docc/") }.map { "Sources/\($0)" }
    }

    /// The documentation comments of every source file.
    static func comments() throws -> [Document] {
        try files(below: "Sources", endingWith: ".swift").map { "Sources/\($0)" }
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
}

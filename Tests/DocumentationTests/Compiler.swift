import Foundation
import Subprocess

/// The compiler as a reader would call it, with the modules of the build this test came from.
struct Compiler: Sendable {
    /// An error, where the reader would look for it.
    struct Diagnosis: Equatable, Sendable {
        let path: String
        let line: Int
        let column: Int
        let message: String
    }

    private let build: BuildProducts

    init() throws { build = try BuildProducts() }

    /// What is wrong with the document's Swift.
    ///
    /// - Throws: What kept the compiler from reading it: not one word of it was checked.
    func errors(in document: Document) async throws -> [Diagnosis] { try await errors(beside: [document]) }

    /// What is wrong with the Swift of each of these documents.
    ///
    /// The compiler spends its time on reading the modules, so that it gets all documents at once. It gets alone those that
    /// it refuses beside the others.
    func errors(in documents: [Document]) async throws -> [Diagnosis] {
        var errors: [Diagnosis] = []
        var rest = documents
        while !rest.isEmpty {
            let refused = Set(try await self.errors(beside: rest).map(\.path))
            for document in rest where refused.contains(document.path) { errors += try await self.errors(in: document) }
            let count = rest.count
            rest.removeAll { refused.contains($0.path) }
            guard rest.count < count else { break }
        }
        return errors
    }

    /// What the compiler says of documents that it gets at once, each as a file of one module.
    func errors(beside documents: [Document]) async throws -> [Diagnosis] {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "documentation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let sources = documents.indices.map { scratch.appending(path: "Document\($0).swift") }
        for (document, source) in zip(documents, sources) {
            try GeneratedSource(document).text.write(to: source, atomically: true, encoding: .utf8)
        }
        let (isSuccess, output) = try await Slots.shared.pass { try await run(on: sources) }
        let errors = output.split(separator: "\n").compactMap(Diagnosis.init)
        guard isSuccess || !errors.isEmpty else { throw DocumentError(description: "swiftc failed: \(output)") }
        return errors
    }

    /// Compiles as far as the optimiser: the checks for returns, initialisation and data races come after the types'.
    private func run(on sources: [URL]) async throws -> (isSuccess: Bool, output: String) {
        let flags = [
            "-emit-sil", "-o", "/dev/null", "-wmo", "-parse-as-library", "-swift-version", "6", "-suppress-warnings",
        ]
        let result = try await Subprocess.run(
            .name("swiftc"),
            arguments: Arguments(flags + build.searchPaths + sources.map(\.path)),
            output: .discarded,
            error: .string(limit: 16 << 20)
        )
        return (result.terminationStatus.isSuccess, result.standardError)
    }
}

extension Compiler.Diagnosis {
    /// Reads `path:line:column: error: message`.
    init?(_ line: Substring) {
        let parts = line.split(separator: ":", maxSplits: 4).map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.count == 5, let row = Int(parts[1]), let column = Int(parts[2]), parts[3] == "error" else {
            return nil
        }
        self.init(path: parts[0], line: row, column: column, message: parts[4])
    }
}

/// Lets two compilers in at a time: each takes a core and hundreds of megabytes.
actor Slots {
    static let shared = Slots()

    private var free = 2
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
        defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
        return try await body()
    }
}

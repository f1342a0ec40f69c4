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
    func errors(in document: Document) async throws -> [Diagnosis] {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "documentation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let source = scratch.appending(path: "Document.swift")
        try GeneratedSource(document).text.write(to: source, atomically: true, encoding: .utf8)
        let (isSuccess, output) = try await Slots.shared.pass { try await run(on: source) }
        let errors = output.split(separator: "\n").compactMap(Diagnosis.init)
        guard isSuccess || !errors.isEmpty else { throw DocumentError(description: "swiftc failed: \(output)") }
        return errors
    }

    /// Compiles as far as the optimiser: the checks for returns, initialisation and data races come after the types'.
    private func run(on source: URL) async throws -> (isSuccess: Bool, output: String) {
        let flags = ["-emit-sil", "-o", "/dev/null", "-parse-as-library", "-swift-version", "6", "-suppress-warnings"]
        let result = try await Subprocess.run(
            .name("swiftc"),
            arguments: Arguments(flags + build.searchPaths + [source.path]),
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

import Foundation
import Testing

/// A worker with keys, and the certificates of whoever asks it.
struct KeyedWorker: Sendable {
    let worker: WorkerProcess

    /// Whom the access file knows, as it is at the start.
    static let principals = ["shop", "boss"]

    /// Serves `yaml` to `body` by keys: `shop` and `boss` have a certificate each, and so has `stranger`, whom the access
    /// file does not know.
    ///
    /// - Parameters:
    ///   - yaml: The worker's file.
    ///   - listen: Where it listens, if not in its directory.
    ///   - grants: What `shop` may do, as lines of the access file.
    ///   - body: What happens while it serves.
    /// - Throws: What `body` throws.
    static func serve(
        _ yaml: String = TestWorker.yaml,
        listen: String? = nil,
        granting grants: String,
        body: @Sendable (KeyedWorker) async throws -> Void
    ) async throws {
        let outcome = try await WorkerProcess.serve(yaml, listen: listen) { directory in
            for name in principals + ["worker", "stranger"] {
                #expect(try await Forgebus.run(["keygen", "\(directory.path)/\(name)"]).code == 0)
            }
            let file = try directory.write(try access(in: directory, granting: grants), to: "access.yaml")
            return ["--access", file, "--certificate", "\(directory.path)/worker.key_secret"]
        } body: {
            try await body(KeyedWorker(worker: $0))
        }
        #expect(outcome.code == 0, "\(outcome)")
    }

    /// The text of an access file in which `shop` has these grants, and `boss` all.
    static func access(in directory: Scratch, granting grants: String) throws -> String {
        let everything = ["notify", "run", "complete", "cancel", "read", "mode", "admin"].map { "    \($0): [\">\"]" }
        return """
            principals:
              shop:
                keys: ["\(try directory.publicKey("shop"))"]
                \(grants)
              boss:
                keys: ["\(try directory.publicKey("boss"))"]
            \(everything.joined(separator: "\n"))
            """
    }

    /// The options by which `name` asks the worker.
    func options(_ name: String) -> [String] {
        let path = worker.directory.path
        return ["--server-key", "\(path)/worker.key", "--certificate", "\(path)/\(name).key_secret"]
    }

    /// Asks the worker as `name`, from a process of its own.
    func asked(as name: String, _ arguments: String...) async throws -> Forgebus.Outcome {
        try await worker.asked(arguments + options(name)) { _ in }
    }

    /// Puts another text in the place of the access file, and has the worker read it; once in the life of a worker.
    func change(_ access: String, until line: String) async throws {
        try worker.directory.write(access, to: "access.yaml")
        worker.process.send(SIGHUP)
        try await worker.process.errors.first(containing: line)
    }
}

extension Scratch {
    /// The public key of the certificate of that name.
    func publicKey(_ name: String) throws -> String {
        let line = try #require(try lines("\(name).key").first { $0.contains("public-key") })
        return try String(#require(line.firstMatch(of: /public-key = "(.+)"/)?.1))
    }
}

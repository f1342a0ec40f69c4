import TestSupport
import Testing

/// A document's own test compiles all its blocks with the imports of all of them.
@Suite("With the client as its one import")
struct OneImportTests {
    @Test("each block of the README and of the client's page that asks a worker compiles")
    func compiles() async throws {
        var count = 0
        for document in try Repository.documentsWithSwift()
        where ["README.md", "Sources/ForgeBusClient/ForgeBusClient.docc/ForgeBusClient.md"].contains(document.path) {
            for block in try document.swiftBlocks() where block.lines.contains("import ForgeBusClient") {
                let text = "```swift\n" + block.lines.joined(separator: "\n") + "\n```\n"
                #expect(block.lines.filter { $0.hasPrefix("import ") } == ["import ForgeBusClient"])
                for error in try await Compiler().errors(in: Document(markdown: text, path: document.path)) {
                    Issue.record("\(error.path), block of line \(block.firstLine): \(error.message)")
                }
                count += 1
            }
        }
        #expect(count == 2)
    }

    @Test("keys, names, JSON and errors can be named")
    func names() async throws {
        let text = """
            ```swift
            import ForgeBusClient

            func ask(_ server: PublicKey, _ signal: SignalID, _ run: RunID) async throws {
                let endpoint = try Endpoint("tcp://127.0.0.1:7717")
                let identity = CurveClient(keys: KeyPair(), server: server)
                let client = BusClient(endpoint, as: identity)
                do throws(BusError) {
                    let value: JSONValue = ["by": "ada"]
                    let report = try await client.complete(signal, value: value, durability: .fsynced)
                    if case .conflict(let standing) = report.verdict { print(standing.decision == .approved) }
                    if case .ended(let result) = try await client.attach(run) { print(result.outputs["url"] ?? .null) }
                    for monitor in try await client.notifyAndWait("stock").monitors { print(monitor.state) }
                } catch {
                    print(error.code == .otherStore, error.isRetryable)
                }
                await client.close()
            }
            ```
            """
        let errors = try await Compiler().errors(in: Document(markdown: text, path: "one.md"))
        #expect(errors.isEmpty, "\(errors.map(\.message))")
    }
}

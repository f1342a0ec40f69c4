import ForgeBusProtocol
import ForgeBusStore
import Foundation
import Testing

extension CommandLineTests {
    @Suite("audit")
    struct AuditCommandTests {
        @Test("is chained on after a kill, and an export of it is sound, from the start or since a time")
        func killed() async throws {
            try await withScratch { directory in
                for kill in 1...3 {
                    _ = try await WorkerProcess.serve(in: directory) { worker in
                        for number in 0..<4 {
                            let outcome = try await worker.asked("complete", "deploy.\(kill)-\(number).approve")
                            #expect(outcome.code != nil)
                        }
                        // One more is decided, or not, when the worker dies.
                        async let last = worker.asked("complete", "deploy.\(kill)-9.approve", "--patience", "0.3")
                        worker.stop(SIGKILL)
                        _ = try await last
                    }
                }
                _ = try await WorkerProcess.serve(in: directory) { worker in
                    let sound = try await worker.asked("audit", "verify", "-o", "json").document().object
                    #expect(sound?["sound"] == true, "\(sound ?? [:])")
                    #expect(try #require(sound?["entries"]?.integer) >= 12)
                    let head = try #require(sound?["head"]?.string)
                    let export = try await worker.asked("audit", "export", "-o", "jsonl")
                    #expect(export.code == 0)
                    let entries = try export.objects().dropLast()
                    #expect(entries.count { $0["event"] == "decided" } >= 12)
                    #expect(entries.compactMap { $0["number"]?.integer } == Array(1...Int64(entries.count)))
                    // The kept head is in it, though the check and the export were audited since.
                    #expect(try await worker.asked("audit", "verify", "--head", head).code == 0)
                    let time = try #require(entries.last?["at_ms"]?.integer)
                    let later = try await worker.asked("audit", "export", "--since", "\(time)", "-o", "jsonl")
                    #expect(try #require(later.objects().first?["at_ms"]?.integer) >= time)
                    let none = try await worker.asked(
                        "audit",
                        "export",
                        "--since",
                        "2100-01-01T00:00:00Z",
                        "-o",
                        "jsonl"
                    )
                    #expect(try none.objects().map { $0["count"] } == [0])
                }
            }
        }

        @Test("verify names the first bad entry of a file, and exits 65; cut and append need the head")
        func file() async throws {
            try await expectGoodEnd { worker in
                for number in 0..<5 { _ = try await worker.asked("complete", "deploy.\(number).approve") }
                let lines = try await worker.asked("audit", "export", "-o", "jsonl").output
                let footer = try #require(try JSONValue(parsing: Array(lines[lines.count - 1].utf8)[...]).object)
                let head = "\(footer["last"] ?? 0):\(footer["head"]?.string ?? "")"
                let good = try worker.directory.write(lines.map { $0 + "\n" }.joined(), to: "good.jsonl")
                for options in [[], ["--head", head]] {
                    let sound = try await Forgebus.run(["audit", "verify", "--file", good] + options)
                    #expect(sound.code == 0, "\(sound)")
                }
                var altered = lines
                altered[2] = altered[2].replacing("decided", with: "decIded")
                let bad = try worker.directory.write(altered.map { $0 + "\n" }.joined(), to: "bad.jsonl")
                let found = try await Forgebus.run(["audit", "verify", "--file", bad])
                #expect(found.code == 65)
                #expect(found.output.first?.hasPrefix("entry 3 ") == true, "\(found)")

                let forged = try worker.directory.write(try Self.forged(lines), to: "forged.jsonl")
                #expect(try await Forgebus.run(["audit", "verify", "--file", forged]).code == 0)
                let missed = try await Forgebus.run(["audit", "verify", "--file", forged, "--head", head, "-o", "json"])
                #expect(missed.code == 65)
                #expect(try missed.document().object?["entry"] == footer["last"])
                let missing = try await Forgebus.run(["audit", "verify", "--file", "/nowhere", "-o", "json"])
                #expect(missing.code == 65)
                #expect(try missing.document().object?["sound"] == false)
                #expect(try await Forgebus.run(["audit", "verify", "--head", "1:2"]).code == 64)
            }
        }

        /// The export without its last entry, as somebody writes it who computes the hashes anew.
        private static func forged(_ lines: [String]) throws -> String {
            let links = try lines.dropLast(2).map { try #require(AuditExport.link(in: Array($0.utf8)[...])) }
            let head = try #require(links.last?.head)
            let footer = JSONValue.object(AuditExport.Footer(after: .start, to: head).json).description
            return (lines.dropLast(2) + [footer]).map { $0 + "\n" }.joined()
        }

        @Test("needs the right admin, and has refusals, keys and grants")
        func keyed() async throws {
            try await KeyedWorker.serve(granting: "complete: [\"deploy.>\"]") { keyed in
                #expect(try await keyed.asked(as: "shop", "audit", "verify").code == 77)
                _ = try await keyed.asked(as: "shop", "complete", "deploy.1.approve")
                let export = try await keyed.asked(as: "boss", "audit", "export", "-o", "jsonl")
                let decided = try #require(try export.objects().first { $0["event"] == "decided" })
                #expect([decided["principal"], decided["allowed_by"]] == ["shop", "complete:deploy.>"])
                #expect(decided["key"]?.string?.count == 40)
                let text = try await keyed.asked(as: "boss", "audit", "export")
                #expect(text.output.contains { $0.contains("decided") && $0.contains("principal shop") }, "\(text)")
            }
        }

        @Test("is not kept by a worker without a store")
        func memory() async throws {
            _ = try await WorkerProcess.serve(arguments: ["--store", "memory"]) { worker in
                let outcome = try await worker.asked("audit", "verify")
                #expect(outcome.code == 65)
            }
        }
    }
}

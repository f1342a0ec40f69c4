import ForgeBusProtocol
import Testing

extension CommandLineTests {
    @Suite("forgebus status")
    struct StatusCommandTests {
        @Test("says that the worker takes work, and which monitor fails, why, and when it tries again")
        func failing() async throws {
            let outcome = try await WorkerProcess.serve { worker in
                let well = try await worker.asked("status")
                #expect(well.code == 0)
                #expect(try await worker.asked("status", "--strict").code == 0)
                #expect(well.output.first?.contains(" version \(Release.version), ") == true, "\(well)")
                #expect(well.output.contains { $0.hasPrefix("monitors    3, ") }, "\(well)")
                try worker.directory.write("", to: "broken-now")
                #expect(try await worker.asked("notify", "broken", "--wait").code == 1)
                let ill = try await worker.asked("status")
                #expect(ill.code == 0, "the worker takes work all the same")
                #expect(try await worker.asked("status", "--strict").code == 1)
                let line = ill.output.first { $0.contains("broken failed") } ?? ""
                #expect(line.contains("mend: exit status 3: out of glue; "), "\(ill)")
                let stuck = try await worker.asked("stuck").output.first { $0.hasPrefix("broken") } ?? ""
                // The worker tries again after a second, so the cycle may run just now, and may have failed again.
                let states: Set<String> = ["owed", "running"]
                #expect(states.contains(stuck.words.dropFirst().first.map(String.init) ?? ""), "\(stuck)")
                #expect(stuck.contains("out of glue"), "\(stuck)")
                let listed = try await worker.asked("list", "monitors").output.first { $0.hasPrefix("broken") } ?? ""
                let words = listed.words.map(String.init)
                #expect(words.count > 3 && states.contains(words[1]) && (Int(words[2]) ?? 0) > 0, "\(listed)")
                #expect(words.dropFirst(3).first == "failed" && listed.contains("out of glue"), "\(listed)")
                let shown = try await worker.asked("show", "monitor", "broken", "-o", "json").document().object ?? [:]
                #expect(states.contains(shown["state"]?.string ?? "") && shown["failures"] != nil)
                let json = try await worker.asked("status", "-o", "json").document().object ?? [:]
                #expect(json["checks"]?.object?["monitors"] == "failing" && json["limits"]?.object?["queued"] != nil)
                #expect(json["definitions"]?.string?.count == 64 && json["access"] == nil)
            }
            #expect(outcome.code == 0)
        }

        @Test("says that the disk is nearly full, by the limit of the file, and logs it")
        func disk() async throws {
            let limits = "  store_limits: {disk_floor: 1TiB, journal_age: 1h}"
            let yaml = TestWorker.yaml.replacing("  name: tester", with: "  name: tester\n\(limits)")
            try await withScratch { directory in
                let outcome = try await WorkerProcess.serve(yaml, in: directory) { worker in
                    let stats = try await worker.asked("store", "stats", "-o", "json").document().object ?? [:]
                    let free = try #require(stats["free"]?.integer)
                    // A disk with more room than that is not short of it.
                    let isShort = free < 1 << 40
                    if isShort { try directory.write("", to: "short") }
                    while try await worker.asked("status").code != (isShort ? 75 : 0) {}
                    let status = try await worker.asked("status")
                    #expect(status.output.contains { $0.hasPrefix("disk        short for ") } == isShort, "\(status)")
                    #expect(
                        try await worker.asked("run", "echo", "text=a", "--patience", "0.2").code == (isShort ? 75 : 0)
                    )
                }
                #expect(outcome.code == 0)
                let warnings = outcome.errors.filter { $0.contains(" warning ") && $0.contains("disk") }
                #expect(!warnings.isEmpty == directory.has("short"))
            }
        }
    }
}

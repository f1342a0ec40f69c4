import Foundation
import Testing

extension CommandLineTests {
    @Suite("A worker with keys")
    struct KeyTests {
        @Test(
            "does what a principal may, and says what it may not, also over tcp",
            arguments: [nil, "tcp://127.0.0.1:*"]
        )
        func rights(_ listen: String?) async throws {
            try await KeyedWorker.serve(listen: listen, granting: "run: [echo]") { keyed in
                let run = try await keyed.asked(as: "shop", "run", "echo", "text=a")
                #expect(run.code == 0, "\(run)")
                let refused = try await keyed.asked(as: "shop", "notify", "stock.apples")
                #expect(refused.code == 77)
                #expect(refused.errors.first?.hasPrefix("forgebus: forbidden: ") == true, "\(refused)")
                for part in ["\"shop\"", "`notify`", "\"stock.apples\""] {
                    #expect(refused.errors.first?.contains(part) == true, "\(refused)")
                }
                #expect(refused.errors.count == 2)
                #expect(try await keyed.asked(as: "boss", "notify", "stock.apples").code == 0)
                #expect(try await keyed.asked(as: "boss", "mode", "shelf", "--clear").code == 0)
            }
        }

        @Test("shows of what is stuck, and of itself, what a principal may read, and says what it leaves out")
        func partialRights() async throws {
            try await KeyedWorker.serve(granting: "read: [run.>, worker]") { keyed in
                let stuck = try await keyed.asked(as: "shop", "stuck")
                #expect(stuck.code == 0 && stuck.output.count == 1 && stuck.output[0].contains("runs"), "\(stuck)")
                for kind in ["monitors", "pipelines", "signals"] {
                    #expect(stuck.errors.first?.contains(kind) == true && !stuck.output[0].contains(kind), "\(stuck)")
                }
                #expect(stuck.errors.last?.contains("`read`") == true, "\(stuck)")
                #expect(try await keyed.asked(as: "shop", "status").code == 0)
                #expect(try await keyed.asked(as: "shop", "list", "monitors").code == 77)
                let whole = try await keyed.asked(as: "boss", "stuck")
                #expect(whole.errors.isEmpty, "\(whole)")
            }
            try await KeyedWorker.serve(granting: "run: [echo]") { keyed in
                for subcommand in ["stuck", "status"] {
                    let outcome = try await keyed.asked(as: "shop", subcommand)
                    #expect(outcome.code == 77, "\(outcome)")
                }
            }
        }

        @Test("tells a key that it does not know so, at once, in every subcommand that waits")
        func stranger() async throws {
            try await KeyedWorker.serve(granting: "run: [echo]") { keyed in
                let key = try keyed.worker.directory.publicKey("stranger")
                for subcommand in [["ping"], ["attach", "run-1"], ["watch", "run.>"], ["run", "echo", "text=a"]] {
                    // It is told before the patience, which is longer than this test may last, is over.
                    let outcome = try await keyed.worker.asked(
                        subcommand + keyed.options("stranger") + ["--patience", "600"]
                    ) { _ in }
                    #expect(outcome.code == 77)
                    #expect(outcome.errors.count == 2 && outcome.errors[0].hasPrefix("forgebus: forbidden: "))
                    #expect(outcome.errors.first?.contains("\"\(key)\"") == true, "\(outcome)")
                }
                try await keyed.worker.process.errors.first(containing: "audit: key refused")
                #expect(try await keyed.asked(as: "boss", "list", "runs").output == ["no runs"])
            }
        }

        @Test("is told from one that is not there by whoever has no keys, or those of another worker")
        func handshake() async throws {
            try await KeyedWorker.serve(granting: "run: [echo]") { keyed in
                let path = keyed.worker.directory.path
                let other = ["--server-key", "\(path)/stranger.key", "--certificate", "\(path)/shop.key_secret"]
                for options in [[], other] {
                    let outcome = try await keyed.worker.asked(["ping", "--patience", "8"] + options) { _ in }
                    #expect(outcome.code == 69)
                    // Before that, it says that no worker answers yet.
                    let error = outcome.errors.dropLast().last
                    #expect(error?.hasPrefix("forgebus: unreachable: ") == true, "\(outcome)")
                }
            }
        }

        @Test("takes a right away at SIGHUP, from the next message on")
        func revoked() async throws {
            try await KeyedWorker.serve(granting: "run: [echo, fail]") { keyed in
                #expect(try await keyed.asked(as: "shop", "run", "echo", "text=a").code == 0)
                func digest() async throws -> String? {
                    try await keyed.asked(as: "boss", "status", "-o", "json").document().object?["access"]?.string
                }
                let before = try #require(try await digest())
                let less = try KeyedWorker.access(in: keyed.worker.directory, granting: "run: [fail]")
                try await keyed.change(less, until: "audit: access replaced")
                let after = try await digest()
                #expect(after != nil && after != before)
                let refused = try await keyed.asked(as: "shop", "run", "echo", "text=a")
                #expect(refused.code == 77)
                #expect(refused.errors.first?.contains("`run` on \"echo\"") == true)
                #expect(try await keyed.asked(as: "shop", "run", "fail").code == 1)
            }
        }

        @Test("ends every wait of a key that SIGHUP takes away, at once, and lets one in that it adds")
        func removed() async throws {
            try await KeyedWorker.serve(granting: "read: [\">\"]") { keyed in
                let boss = try await keyed.asked(as: "boss", "run", "deploy", "version=1", "--detach", "-o", "json")
                let run = try #require(boss.output.first?.firstMatch(of: /"run":"([^"]+)"/)?.1)
                let shop = keyed.options("shop")
                let attached = try await keyed.worker.asked(["attach", String(run)] + shop) { attach in
                    try await attach.output.first(containing: "waiting")
                    let watched = try await keyed.worker.asked(["watch", "run.>"] + shop) { watch in
                        try await watch.errors.first(containing: "watching")
                        let directory = keyed.worker.directory
                        let other = try KeyedWorker.access(in: directory, granting: "run: [echo]")
                            .replacing(try directory.publicKey("shop"), with: try directory.publicKey("stranger"))
                        try await keyed.change(other, until: "audit: access replaced")
                        #expect(try await keyed.asked(as: "stranger", "run", "echo", "text=a").code == 0)
                        #expect(try await keyed.asked(as: "shop", "ping").code == 77)
                    }
                    #expect(watched.code == 77 && watched.output == [], "\(watched)")
                }
                #expect(attached.code == 77, "\(attached)")
                #expect(try await keyed.asked(as: "boss", "cancel", String(run)).code == 0)
            }
        }

        @Test("goes on with what held where the file it is to read is wrong, and says why")
        func kept() async throws {
            try await KeyedWorker.serve(granting: "run: [echo]") { keyed in
                try await keyed.change(
                    "principals: {shop: {keys: [], compleet: [echo]}}\n",
                    until: "audit: access kept"
                )
                let line = try await keyed.worker.process.errors.first(containing: "audit: access kept")
                #expect(line.contains("principals.shop.compleet: "), "\(line)")
                #expect(line.contains("`complete`"))
                #expect(try await keyed.asked(as: "shop", "run", "echo", "text=a").code == 0)
            }
        }

        @Test("keeps a gate's rule: neither who requested the run decides it, nor who is not named")
        func gate() async throws {
            let yaml = """
                pipelines:
                  deploy:
                    actions:
                      - {id: approve, gate: {signal: deploy.approve, allowed: [boss, shop], requester_may_decide: false}}
                  ship:
                    actions:
                      - {id: approve, gate: {signal: ship.approve, allowed: [shop, nobody]}}
                """
            try await KeyedWorker.serve(yaml, granting: "complete: [\">\"]") { keyed in
                try await keyed.worker.process.errors.first(containing: #""nobody""#)
                for pipeline in ["deploy", "ship"] {
                    let run = try await keyed.worker.asked(["run", pipeline] + keyed.options("boss")) { run in
                        try await run.output.first(containing: "waiting")
                        let own = try await keyed.asked(as: "boss", "complete", "\(pipeline).approve")
                        #expect(own.code == 77)
                        #expect(own.output.first?.hasPrefix("forbidden  \(pipeline).approve  (") == true, "\(own)")
                        #expect(own.output.first?.contains("\"boss\"") == true, "\(own)")
                        #expect(try await keyed.asked(as: "shop", "complete", "\(pipeline).approve").code == 0)
                    }
                    #expect(run.code == 0)
                }
            }
        }
    }
}

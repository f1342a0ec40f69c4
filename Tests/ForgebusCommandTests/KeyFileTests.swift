import Foundation
import Testing

extension CommandLineTests {
    @Suite("keygen, access check, and the options that name keys")
    struct KeyFileTests {
        @Test("keygen writes a certificate to hand out and one to keep, and never over another")
        func keygen() async throws {
            try await withScratch { directory in
                let path = "\(directory.path)/shop"
                let made = try await Forgebus.run(["keygen", path])
                #expect(made.code == 0)
                #expect(made.output.first == "public key  \(try directory.publicKey("shop"))")
                #expect(made.output.dropFirst().map { $0.words.last } == ["\(path).key", "\(path).key_secret"])
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(path).key_secret")
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                #expect(try !directory.lines("shop.key").contains { $0.contains("secret-key") })
                let secret = try directory.lines("shop.key_secret")

                let again = try await Forgebus.run(["keygen", path])
                #expect(again.code == 73)
                #expect(again.errors.first?.contains("\(path).key ") == true, "\(again)")
                try FileManager.default.removeItem(atPath: "\(path).key")
                #expect(try await Forgebus.run(["keygen", path]).code == 73)
                #expect(try directory.lines("shop.key_secret") == secret)
                #expect(!directory.has("shop.key"))

                let other = try await Forgebus.run(["keygen", "\(directory.path)/other", "-o", "json"])
                let document = try other.document().object
                #expect(document?["public_key"]?.string == (try directory.publicKey("other")))
                #expect(document?["secret_file"]?.string == "\(directory.path)/other.key_secret")
            }
        }

        @Test("access add, list and remove change a file that a worker takes, and refuse what it would not take")
        func change() async throws {
            try await withScratch { directory in
                for name in KeyedWorker.principals + ["ada"] {
                    _ = try await Forgebus.run(["keygen", "\(directory.path)/\(name)"])
                }
                let text = try KeyedWorker.access(in: directory, granting: "run: [echo]")
                let file = try directory.write(text, to: "access.yaml")
                let key = try directory.publicKey("ada")
                let add = ["access", "add", file, "ada", "--key", "\(directory.path)/ada.key"]
                let grants = ["--grant", "complete=deploy.>", "--grant", "run=echo", "--grant", "run=deploy"]
                let added = try await Forgebus.run(add + grants + ["--group", "release"])
                #expect(added.code == 0, "\(added)")
                #expect(try directory.lines("access.yaml").contains(#"    keys: ["\#(key)"]"#))
                let listed = try await Forgebus.run(["access", "list", file, "-o", "jsonl"]).objects()
                let ada = try #require(listed.last)
                #expect(ada["principal"] == "ada" && ada["keys"] == 1 && ada["groups"] == ["release"])
                #expect(ada["rights"] == ["run": ["echo", "deploy"], "complete": ["deploy.>"]])
                #expect(try await Forgebus.run(add).code == 78)
                #expect(try await Forgebus.run(["access", "add", file, "bob", "--role", "nobody"]).code == 78)
                #expect(try await Forgebus.run(["access", "add", file, "bob", "--grant", "runs=echo"]).code == 64)
                #expect(try await Forgebus.run(["access", "add", file, "bob", "--key", file]).code == 78)
                // The group would be empty.
                #expect(try await Forgebus.run(["access", "remove", file, "boss"]).code == 0)
                #expect(try await Forgebus.run(["access", "check", file]).code == 0)
            }
        }

        @Test("access check says who is in a file, and exits 78 for what a worker would not take")
        func check() async throws {
            try await withScratch { directory in
                for name in KeyedWorker.principals {
                    _ = try await Forgebus.run(["keygen", "\(directory.path)/\(name)"])
                }
                let text = try KeyedWorker.access(in: directory, granting: "run: [echo]")
                let file = try directory.write(text, to: "access.yaml")
                let good = try await Forgebus.run(["access", "check", file])
                #expect(good.code == 0)
                let valid = /.+access\.yaml is valid \(the worker's audit and log name it by the digest [0-9a-f]{16}\)/
                #expect(good.output.first?.wholeMatch(of: valid) != nil, "\(good)")
                #expect(good.output.dropFirst().map(\.words) == [["boss", "1", "key"], ["shop", "1", "key"]])
                let json = try await Forgebus.run(["access", "check", file, "-o", "json"]).document().object
                #expect(json?["principals"]?.array?.count == 2)

                try directory.write(text.replacing("run: [echo]", with: "rnu: [echo]"), to: "access.yaml")
                let bad = try await Forgebus.run(["access", "check", file])
                #expect(bad.code == 78)
                #expect(bad.errors.first?.contains("access.yaml:4:5: principals.shop.rnu: ") == true, "\(bad)")
                let object = try await Forgebus.run(["access", "check", file, "-o", "json"]).document().object
                #expect(object?["error"] == "unknown_key")
                #expect(object?["line"] == 4)
                try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
                let open = try await Forgebus.run(["access", "check", file])
                #expect(open.code == 78)
                let untrusted = try await Forgebus.run(["access", "check", file, "-o", "json"]).document().object
                #expect(untrusted?["error"] == "untrusted")
            }
        }

        @Test("a certificate that cannot be used ends a command with 78, and nothing is sent")
        func badCertificate() async throws {
            try await withScratch { directory in
                _ = try await Forgebus.run(["keygen", "\(directory.path)/shop"])
                let (handedOut, kept) = ("\(directory.path)/shop.key", "\(directory.path)/shop.key_secret")
                let secret = try #require(
                    try directory.lines("shop.key_secret").compactMap { $0.firstMatch(of: /secret-key = "(.+)"/)?.1 }
                        .first
                )
                func ping(_ key: String, _ certificate: String, naming word: String) async throws {
                    let outcome = try await Forgebus.run(["ping", "--server-key", key, "--certificate", certificate])
                    #expect(outcome.code == 78)
                    #expect(outcome.errors.first?.hasPrefix("forgebus: bad_certificate: ") == true, "\(outcome)")
                    #expect(outcome.errors.joined().contains(word), "\(outcome)")
                    #expect(!outcome.errors.joined().contains(secret))
                }
                try await ping(handedOut, handedOut, naming: "shop.key ")
                try await ping("\(directory.path)/nobody.key", kept, naming: "nobody.key")
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: kept)
                try await ping(handedOut, kept, naming: "chmod")
            }
        }

        @Test("keys come from the environment, too, and a key may be given as its text")
        func environment() async throws {
            try await KeyedWorker.serve(granting: "run: [echo]") { keyed in
                let directory = keyed.worker.directory
                let environment = [
                    "FORGEBUS_ENDPOINT": keyed.worker.endpoint,
                    "FORGEBUS_SERVER_KEY": try directory.publicKey("worker"),
                    "FORGEBUS_CERTIFICATE": "\(directory.path)/shop.key_secret",
                ]
                #expect(try await Forgebus.run(["run", "echo", "text=a"], environment: environment).code == 0)
                let boss = ["notify", "stock", "--certificate", "\(directory.path)/boss.key_secret"]
                #expect(try await Forgebus.run(boss, environment: environment).code == 0)
                // Never in the clear, because half of it is missing.
                for half in ["FORGEBUS_SERVER_KEY", "FORGEBUS_CERTIFICATE"] {
                    let rest = environment.filter { $0.key != half }
                    #expect(try await Forgebus.run(["ping"], environment: rest).code == 64)
                }
            }
        }

        @Test("who interrupts a command with keys is told a call that has them, too")
        func interrupted() async throws {
            try await KeyedWorker.serve(granting: "read: [\">\"]") { keyed in
                let watched = try await keyed.worker.asked(["watch", ">"] + keyed.options("shop")) { watch in
                    try await watch.errors.first(containing: "watching")
                    watch.send(SIGINT)
                }
                let options = keyed.options("shop").joined(separator: " ")
                #expect(watched.errors.last?.contains("`forgebus attach RUN \(options)`") == true, "\(watched)")
            }
        }
    }
}

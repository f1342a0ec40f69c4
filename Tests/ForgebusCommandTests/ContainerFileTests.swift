import Foundation
import Testing

extension CommandLineTests {
    @Suite("The image for containers")
    struct ContainerFileTests {
        let file: ContainerFile

        init() throws { file = try ContainerFile() }

        @Test("copies what the repository has, and what is not kept from it")
        func copies() throws {
            let kept = try DeployFiles.text(".dockerignore").split(separator: "\n").filter { !$0.hasPrefix("#") }
            #expect(kept.first == "*")
            #expect(Set(kept.dropFirst()) == Set(file.copied.map { "!\($0)" }))
            for source in file.copied {
                let path = DeployFiles.root.appending(path: source).path
                #expect(FileManager.default.fileExists(atPath: path), "\(source)")
            }
        }

        @Test(
            "installs packages that Debian has",
            .enabled("apt-cache knows no packages here: `apt-get update`") {
                await Tool.works("apt-cache", "show", "bash")
            }
        )
        func packages() async throws {
            #expect(file.packages.count == 7)
            for package in file.packages {
                #expect(await Tool.works("apt-cache", "show", package), "\(package)")
            }
        }

        @Test("starts a worker whose health check finds it")
        func started() async throws {
            try await withScratch { directory in
                let places = try directory.makePlaces()
                let own = file.environment.map { ($0.key, String?.some(places.moved($0.value))) }
                let environment = Dictionary(uniqueKeysWithValues: own)
                let words = try (file.list("ENTRYPOINT") + file.list("CMD")).map(places.moved)
                let check = try file.list("HEALTHCHECK")
                #expect([words[0], check[0]] == ["forgebus", "forgebus"])
                let (_, outcome) = try await Forgebus.start(Array(words.dropFirst()), environment: environment) {
                    process in
                    try await process.errors.first(containing: "ready")
                    let health = try await Forgebus.run(Array(check.dropFirst()), environment: environment)
                    #expect(health.code == 0, "\(health)")
                    process.send(SIGTERM)
                }
                #expect(outcome.code == 0, "\(outcome)")
                #expect(directory.has("state/forgebus.sqlite"))
            }
        }

        @Test("runs as somebody, and is stopped by the signal that drains")
        func runs() throws {
            #expect(try file.last("USER") == "forgebus")
            #expect(try file.last("STOPSIGNAL") == "SIGTERM")
            #expect(try DeployFiles.words(file.last("VOLUME")) == ["/var/lib/forgebus", "/run/forgebus"])
        }
    }
}

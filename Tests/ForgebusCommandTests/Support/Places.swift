import Foundation

/// Where the places that the files of `deploy/` name are in a test.
struct Places: Sendable {
    let directory: Scratch

    /// The text with the test's places for those of the machine.
    func moved(_ text: String) -> String {
        if text == "/run" { return directory.path }
        return text.replacing("/etc/forgebus", with: "\(directory.path)/etc")
            .replacing("/var/lib/forgebus", with: "\(directory.path)/state")
    }
}

extension Scratch {
    /// Makes what a service manager makes before it starts a worker, and the file of a worker.
    func makePlaces() throws -> Places {
        for name in ["etc", "state", "forgebus"] {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(name)",
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        }
        try write("pipelines: {echo: {actions: [{id: look, run: [\"true\"]}]}}\n", to: "etc/worker.yaml")
        return Places(directory: self)
    }
}

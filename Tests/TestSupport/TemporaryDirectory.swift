import Foundation

/// A fresh directory, removed with everything in it with its last reference; its path is short enough for a socket.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.path + "/forge-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    package func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

    package func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }

    package func write(_ text: String, to name: String) throws {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
    }

    /// Writes a program for /bin/sh.
    ///
    /// Another process opens the file for writing: a child that another test starts meanwhile would inherit a descriptor
    /// of this one, and while that is open, the program cannot be executed (ETXTBSY).
    package func script(_ name: String, _ text: String) throws {
        try write("#!/bin/sh\n\(text)\n", to: "\(name).text")
        let copy = try Process.run(URL(filePath: "/bin/cp"), arguments: [file("\(name).text"), file(name)])
        copy.waitUntilExit()
        try FileManager.default.removeItem(atPath: file("\(name).text"))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file(name))
    }
}

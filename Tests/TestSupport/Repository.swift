package import Foundation

/// The files of the package that a test belongs to, as it is checked out.
package enum Repository {
    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    package static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    package static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// The names in a folder, without those that begin with a dot.
    package static func entries(of folder: String = "") throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
        return Set(names.filter { !$0.hasPrefix(".") })
    }

    /// The files below a folder whose paths end so, as paths from there.
    package static func files(below folder: String, endingWith end: String) throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        return paths.filter { $0.hasSuffix(end) }.sorted()
    }
}

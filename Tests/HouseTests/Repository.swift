import Foundation

/// The files of this repository.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The names in a folder, without those that begin with a dot.
    static func entries(of folder: String = "") throws -> Set<String> {
        let names = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
        return Set(names.filter { !$0.hasPrefix(".") })
    }

    /// The files below a folder that people read, as paths from there.
    static func texts(below folder: String) throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        let kinds: Set = ["swift", "md", "py", "c", "h", "yaml", "json", "service"]
        return paths.filter { kinds.contains(URL(filePath: $0).pathExtension) }.sorted()
    }

    /// The Swift files below a folder, as paths from there.
    static func swiftFiles(below folder: String) throws -> [String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        return paths.filter { $0.hasSuffix(".swift") }.sorted()
    }
}

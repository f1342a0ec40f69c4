import Foundation
import TestSupport

/// What the build this test came from has made: the folder of its modules, and the C modules they were built with.
struct BuildProducts: Sendable {
    /// What a compiler has to be told to import them.
    let searchPaths: [String]

    /// - Throws: ``DocumentError`` if no modules lie beside the test.
    init() throws {
        let folder = try Self.folder()
        let modules = folder.appending(path: "Modules")
        guard FileManager.default.fileExists(atPath: modules.path) else {
            throw DocumentError(description: "no modules lie beside the tests, in \(modules.path)")
        }
        let packages = folder.deletingLastPathComponent().deletingLastPathComponent().appending(path: "checkouts")
        // Written by hand, in the sources of this package and of those it uses; and written by the build.
        let maps =
            Self.moduleMaps(in: Repository.root.appending(path: "Sources"), below: "")
            + Self.entries(packages).map { $0.appending(path: "Sources") }.flatMap {
                Self.moduleMaps(in: $0, below: "include") + Self.moduleMaps(in: $0, below: "")
            }
            + Self.entries(folder).filter { $0.pathExtension == "build" }.compactMap { Self.moduleMap(in: $0) }
        searchPaths = ["-I", modules.path] + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    }

    /// The folder with the test's own executable.
    private static func folder() throws -> URL {
        #if os(Linux)
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: executable).deletingLastPathComponent()
        #else
        guard let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) else {
            throw DocumentError(description: "the tests are in no bundle")
        }
        return bundle.bundleURL.deletingLastPathComponent()
        #endif
    }

    private static func moduleMaps(in sources: URL, below folder: String) -> [URL] {
        entries(sources).compactMap { moduleMap(in: folder.isEmpty ? $0 : $0.appending(path: folder)) }
    }

    private static func moduleMap(in folder: URL) -> URL? {
        let map = folder.appending(path: "module.modulemap")
        return FileManager.default.fileExists(atPath: map.path) ? map : nil
    }

    private static func entries(_ folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appending(path: $0) }
    }
}

import ForgeBusSQLite
import ForgeBusStore
import Foundation
import GRDB

/// A fresh directory for a store, removed with everything in it when the test lets go of it.
final class StoreDirectory: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/forgebus-store-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The store's file.
    var file: String { path + "/store.db" }

    /// Options whose reserve and floor suit a test's disk.
    static var options: SQLiteStoreOptions {
        var options = SQLiteStoreOptions()
        options.reserveSizeInBytes = 64 << 10
        options.floorInBytes = 0
        options.marginInBytes = 0
        options.outputsSizeInBytes = 1 << 20
        return options
    }

    func store(_ options: SQLiteStoreOptions = StoreDirectory.options) -> SQLiteStore {
        SQLiteStore(path: file, options: options)
    }

    /// The files and what is in them, but for the one that says who has the store.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where !name.hasSuffix(".lock") {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        }
        return contents
    }

    /// The file, its log and its lock, as they are while somebody has it.
    func live() throws -> (main: Data, log: Data, lock: Data) {
        func data(_ suffix: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file + suffix)) }
        return (try data(""), try data("-wal"), try data(".lock"))
    }

    /// Runs SQL on the store's file, as somebody might who should not.
    func execute(_ sql: String) throws {
        let queue = try DatabaseQueue(path: file)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }
}

package import ForgeBusStore
import Foundation

/// Reads a store that no process uses, such as a backup or the store of a stopped worker.
///
/// The files of the store stay unchanged.
package enum StoppedStore {
    /// The records of the store at `path`, read from a copy in the directory for temporary files.
    ///
    /// If the store has an earlier version, only the copy is migrated. The store is locked while its files are copied.
    ///
    /// - Returns: The records; nil if there is no file at `path`.
    /// - Throws: ``StoreError`` with code `unavailable` when a process uses the store; `unsound` when the file is
    ///   damaged, is not a store or is from a newer program; `io` when the store cannot be read or copied.
    package static func records(at path: String) async throws(StoreError) -> [StoreRecord]? {
        guard Files.exists(path) else { return nil }
        let files = try StoreFiles(path: path)
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "forgebus-check-\(UUID().uuidString)"
        )
        defer { try? FileManager.default.removeItem(at: directory) }
        let copy = directory.appendingPathComponent("store").path
        try copyFiles(files, to: copy, in: directory)
        var options = SQLiteStoreOptions()
        options.reserveSizeInBytes = 0
        let store = SQLiteStore(path: copy, options: options)
        do throws(StoreError) {
            let records = try await store.load()
            await store.close()
            return records
        } catch {
            // Only what is wrong with the content of the copy is wrong with the store, too.
            throw error.code == .unsound
                ? Errors.renamed(error, copy, to: path) : failedCopy(of: path, in: directory, error.message)
        }
    }

    private static func copyFiles(_ files: StoreFiles, to copy: String, in directory: URL) throws(StoreError) {
        // If there is no lock file, no process has opened the store, so there is nothing to lock.
        let lock = Files.exists(files.lock) ? try LockFile(at: files.lock, for: files.main) : nil
        defer { lock?.release() }
        do {
            try FileManager.default.createDirectory(
                at: directory,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            try FileManager.default.copyItem(atPath: files.main, toPath: copy)
            if Files.exists(files.log) { try FileManager.default.copyItem(atPath: files.log, toPath: copy + "-wal") }
        } catch {
            throw failedCopy(of: files.main, in: directory, "The system says: \(error.localizedDescription)")
        }
    }

    private static func failedCopy(of store: String, in directory: URL, _ cause: String) -> StoreError {
        Errors.failedCopy(of: store, in: directory.deletingLastPathComponent().path, cause)
    }
}

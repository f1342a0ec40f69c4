import ForgeBusConfiguration
import Foundation
import Logging

#if canImport(Musl)
import Musl
#endif

extension WorkerFile {
    /// Makes the built-in demonstration, whose files go to a new directory of this user.
    ///
    /// - Throws: `ConfigurationError` with code `directory` if the directory cannot be created.
    static func inNewDirectory(_ overrides: WorkerSettings, logger: Logger) throws -> WorkerFile {
        var overrides = overrides
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("forgebus-demonstration-\(UUID().uuidString)").path
        // Not an existing directory: another user could have made it, if all users may write to the parent directory.
        guard mkdir(directory, 0o700) == 0 else {
            throw Errors.noDemonstrationDirectory(directory, errno)
        }
        if overrides.store == nil { overrides.store = "\(directory)/demonstration.sqlite" }
        Terminal.say(["No --config: serving the built-in demonstration, whose files go to \(directory)."])
        return try WorkerFile(
            yaml: demonstration,
            name: "demonstration",
            directory: directory,
            overrides: overrides,
            logger: logger
        )
    }
}

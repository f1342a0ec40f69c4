import ArgumentParser
import ForgeBusConfiguration
import ForgeBusProtocol
import Foundation

/// The command `forgebus init`, with its argument.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a worker file to begin with, and beside it the JSON Schema that its first line names.",
        discussion: """
            Example: forgebus init

            The file is a sample that says in its comments what to try. With the schema, editors complete and check its keys. \
            `forgebus worker --check --config FILE` checks it as a worker would; `forgebus worker --config FILE` serves it.
            """
    )

    @Argument(help: "The worker's file; the command never writes over a file.")
    var file = "forgebus.yaml"

    func run() throws {
        guard try SampleFile.write(to: file, with: "init") else {
            Terminal.complain(Errors.sampleExists(file))
            throw ExitStatus.cannotCreate.exit
        }
        try Terminal.checkWritten()
    }
}

/// The sample of a worker file, and the JSON Schema that its first line names.
enum SampleFile {
    /// Writes both, unless the file exists, and says so; `command` is the subcommand that writes them.
    ///
    /// - Returns: Whether the file did not exist.
    static func write(to file: String, with command: String) throws -> Bool {
        let schema = URL(filePath: file).deletingLastPathComponent().appending(path: WorkerFile.schemaName)
        do {
            try Data(WorkerFile.sample.utf8).write(to: URL(filePath: file), options: .withoutOverwriting)
            try Data("\(JSONValue.object(Schema.worker.document))\n".utf8).write(to: schema)
        } catch CocoaError.fileWriteFileExists {
            return false
        } catch {
            Terminal.complain(Errors.unwrittenSample(file, error, command: command))
            throw ExitStatus.cannotCreate.exit
        }
        Terminal.say(["Wrote the sample \(Printable.quoted(file, atMost: 200))."])
        return true
    }
}

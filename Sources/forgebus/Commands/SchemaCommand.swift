import ArgumentParser
import ForgeBusConfiguration
import ForgeBusProtocol

/// The command `forgebus schema`, with its argument.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the JSON Schema of a worker file, an access file or a fleet's inventory.",
        discussion: """
            Example: forgebus schema worker

            With the line `# yaml-language-server: $schema=forgebus.schema.json` at the top of a file, editors complete and \
            check its keys. `forgebus worker --check` checks more.
            """
    )

    @Argument(help: "The kind of file: worker, access or fleet.")
    var file: Schema

    func run() throws {
        Terminal.say(document: "\(JSONValue.object(file.document))")
        try Terminal.checkWritten()
    }
}

extension Schema: ExpressibleByArgument {}

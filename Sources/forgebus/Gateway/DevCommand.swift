#if HTTP
import ArgumentParser
import Foundation

/// The command `forgebus dev`, with its arguments and options.
struct DevCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dev",
        abstract: "Runs a worker with its console, to try things out; writes a sample file if there is none.",
        discussion: """
            Example: forgebus dev

            The command does the same as `forgebus worker --config FILE --http ADDRESS --login-link`, but keeps the \
            store beside the file unless the file or FORGEBUS_STORE names a store. To use other options, such as --host or --token-file, call `forgebus worker` instead. The sample has a gate that waits \
            for you, and says in its comments what else to try.
            """
    )

    @Argument(help: "The worker's file; if there is none, the command writes the sample there.")
    var file = "forgebus.yaml"

    @Option(
        help: ArgumentHelp(
            "The address and port for HTTP, such as 0.0.0.0:7780; or only the port (0 to 65535), at 127.0.0.1.",
            valueName: "address"
        )
    )
    var http = HTTPAddress(argument: "127.0.0.1:7780")!

    func run() async throws {
        // A file that exists is the user's own, or the sample of an earlier time.
        _ = try SampleFile.write(to: file, with: "dev")
        let worker = try WorkerCommand.parse(["--config", file, "--http", http.defaultValueDescription, "--login-link"])
        try await worker.run(storingAt: URL(filePath: file).deletingPathExtension().path + ".sqlite")
    }
}
#endif

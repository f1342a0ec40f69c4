import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// `forgebus store`.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Verifies, counts or copies a store, through its worker: no other process opens the file.",
        subcommands: [Verify.self, Stats.self, Backup.self]
    )

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads the whole store, and says whether it is sound."
        )

        @OptionGroup var client: ClientOptions

        func run() async throws { try await StoreCommand.perform("store.verify", [:], client) }
    }

    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Counts the records of each kind.")

        @OptionGroup var client: ClientOptions

        func run() async throws { try await StoreCommand.perform("store.stats", [:], client) }
    }

    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copies everything, as it is now, to a file beside the store.",
            discussion: "A copy is a store: a worker started with it continues from the moment of the copy."
        )

        @Argument(
            help: "The copy's name; no file in the store's directory may have it.",
            transform: Words.name
        )
        var name: Name

        @Option(help: "The request's id: the same request again gets its first answer.", transform: Words.requestID)
        var id: RequestID?

        @OptionGroup var client: ClientOptions

        func run() async throws {
            try await StoreCommand.perform("store.backup", ["name": .string(name.text)], id: id ?? .random(), client)
        }
    }

    private static func perform(
        _ verb: Name,
        _ arguments: JSONObject,
        id: RequestID? = nil,
        _ client: ClientOptions
    ) async throws {
        try await client.ask(.one, id: id) { bus, output throws(BusError) in
            let report = try await bus.admin(verb.text, arguments, id: id ?? .random())
            output.show(lines(report.details), report.details)
            return .done
        }
    }

    private static func lines(_ details: JSONObject) -> [String] {
        details.entries.map { member in
            member.key.padded(to: 18) + (member.value.string ?? member.value.description)
        }
    }
}

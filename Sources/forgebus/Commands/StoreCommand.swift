import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// `forgebus store`.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Looks after what a worker keeps, by way of the worker: nobody else opens its file.",
        subcommands: [Verify.self, Stats.self, Backup.self]
    )

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reads everything that is kept, and says whether it is sound."
        )

        @OptionGroup var client: ClientOptions

        func run() async throws { try await StoreCommand.perform("store.verify", [:], client) }
    }

    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Says how much there is of what.")

        @OptionGroup var client: ClientOptions

        func run() async throws { try await StoreCommand.perform("store.stats", [:], client) }
    }

    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copies everything, as it is now, to a file beside the store.",
            discussion: "A copy is a store: a worker that is started with it goes on where it was made."
        )

        @Argument(
            help: "What the copy is called; there must be no file of that name in the store's directory.",
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
            let report = try await bus.admin(verb, arguments, id: id ?? .random())
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

import ArgumentParser
import ForgeBusClient
import ForgeBusProtocol

/// The command `forgebus store`, with its arguments and options.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract:
            "Makes the worker verify its store, count its records, or back it up; or copies a stopped worker's store.",
        discussion: "Example: forgebus store backup before-the-move",
        subcommands: [Verify.self, Stats.self, Backup.self, StoreCopyCommand.self]
    )

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes the worker read its whole store, and shows whether the store is undamaged.",
            discussion: "Exits 65 if the store is damaged."
        )

        @OptionGroup var client: ClientOptions

        func run() async throws { try await StoreCommand.perform("store.verify", [:], client) }
    }

    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows how many records of each kind the store has.")

        @OptionGroup var client: ClientOptions

        func run() async throws { try await StoreCommand.perform("store.stats", [:], client) }
    }

    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Copies the store in its current state to a file in the same directory.",
            discussion: """
                This is for a store in a file; a PostgreSQL database is backed up with PostgreSQL's own programs. The \
                copy is a store, too: a worker that starts with it continues from the moment of the copy.

                To restore it: stop the worker, move STORE, STORE-wal and STORE.lock away, where STORE is the file of \
                the store. Then copy the backup to STORE, and start the worker again. Actions that ended after the \
                copy was made then execute again. RestoreAndUpgrade.md in the documentation has the details.
                """
        )

        @Argument(
            help: "The name of the copy: a file that does not exist yet, in the directory of the store.",
            transform: Words.name
        )
        var name: Name

        @Option(
            help: "The request's id. If you send the same request again with this id, you get the first answer again.",
            transform: Words.requestID
        )
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
            let details = try await bus.admin(verb.text, arguments, id: id ?? .random()).details
            guard details["sound"] != false else {
                let flaw = details["flaw"]?.string ?? "The store is damaged; the worker does not say where."
                output.show([flaw] + (details["next"]?.string.map { ["  \($0)"] } ?? []), details)
                return .badData
            }
            output.show(lines(details), details)
            return .done
        }
    }

    private static func lines(_ details: JSONObject) -> [String] {
        let verified = details["sound"] == true ? ["The store is undamaged."] : []
        return verified
            + details.entries.filter { $0.key != "sound" }.flatMap { member in
                if let records = member.value.object {
                    return ["records"] + records.entries.map { line("  " + (kinds[$0.key] ?? $0.key), $0.value) }
                }
                let unit = ["size", "log_size", "free"].contains(member.key) ? " bytes" : ""
                return [line(labels[member.key] ?? member.key.replacing("_", with: " "), member.value) + unit]
            }
    }

    /// The members whose keys do not explain themselves.
    private static let labels = [
        "journal": "journal entries", "audit": "audit entries", "groups": "groups of commits",
        "free": "free on the disk", "reserve": "disk space is reserved",
    ]

    private static func line(_ name: String, _ value: JSONValue) -> String {
        name.padded(to: 30) + (value.string ?? value.description)
    }

    /// The kinds of records in words.
    private static let kinds = [
        "request": "requests", "run": "runs", "progress": "progress of unfinished runs", "signal": "signals",
        "debt": "monitors owed a cycle", "mode": "screens of monitors", "requested": "requested runs not begun",
        "trouble": "failing monitors", "pipelinePause": "paused pipelines", "monitorPause": "paused monitors",
        "texts": "seeds and decisions of ended runs",
    ]
}

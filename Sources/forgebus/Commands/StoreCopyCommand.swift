import ArgumentParser
import ForgeBusConfiguration
import ForgeBusProtocol
import ForgeBusSQLite
import ForgeBusStore
import ForgeBusWorker
import Foundation

#if PostgreSQL
import ForgeBusPostgreSQL
#endif

/// The command `forgebus store copy`, with its arguments and options.
struct StoreCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract:
            "Copies the store of a stopped worker to a new store, for instance from a file to a PostgreSQL database.",
        discussion: """
            Example: forgebus store copy deploys.sqlite postgres://db.example/forgebus --name deploys

            The command reads both stores and compares them before it succeeds. Until then, no worker can use the copy. If \
            the command is stopped, call it again. Stop all processes of the worker first, also those that wait to take it \
            over, and call the command as the user that runs the worker.

            The copy is the same store for all clients: requests that they send again are answered as before. So start a \
            worker only with one of the two stores.
            """
    )

    @Argument(help: "The store to copy: a file, or the URL of a PostgreSQL database.")
    var from: String

    @Argument(
        help: """
            The new store: a file that does not exist yet, or the URL of a PostgreSQL database that has no store of a \
            worker with the name in --name.
            """
    )
    var to: String

    @Option(help: "The worker's name in the database; required if one of the stores is in a database.")
    var name: String?

    func validate() throws {
        for store in [from, to] where store == "memory" {
            throw ValidationError(
                "A store in memory cannot be copied, and cannot be the new store; name a file or the URL of a database."
            )
        }
        let isShared = [from, to].contains { if case .postgreSQL = StoreSetting($0, in: ".") { true } else { false } }
        guard from != to else { throw ValidationError("Both stores are \(from); name another store as the copy.") }
        if isShared, name == nil {
            throw ValidationError(
                "A store in a database needs --name with the worker's name, because one database can have the stores "
                    + "of several workers."
            )
        }
        if let name { _ = try Words.name(name) }
    }

    func run() async throws {
        do {
            let source = try store(from, isNew: false)
            if case .file(let path) = StoreSetting(from, in: "."), !FileManager.default.fileExists(atPath: path) {
                throw StoreError(
                    .unavailable,
                    "The store to copy does not exist: there is no file \(path).",
                    next: "Give the path of the stopped worker's store: the value of its option --store, of "
                        + "FORGEBUS_STORE, or of `store` in its worker file. Without these, the store is NAME.sqlite "
                        + "in the worker's state directory, such as ~/.local/state/forgebus."
                )
            }
            let digest = try await StoreTransfer(from: source, to: store(to, isNew: true)).run()
            Terminal.say([
                "records           \(digest.records)", "journal entries   \(digest.journal)",
                "outputs           \(digest.outputs)", "audit entries     \(digest.audit)",
                "checksum          \(digest.checksum.hexadecimal)",
                "The copy is complete. From now on, start the worker with only one of the two stores: with both, its "
                    + "unfinished runs would execute twice.",
            ])
            try Terminal.checkWritten()
        } catch let error as StoreError {
            Terminal.complain(["\(error.message)", "  \(error.next)"])
            throw (error.code == .usage ? ExitStatus.cannotCreate : ExitStatus(WorkerError(error))).exit
        } catch let error as ConfigurationError {
            Terminal.complain(error.lines)
            throw ExitStatus(error).exit
        }
    }

    /// A store that drops no entries, however old they are.
    private func store(_ text: String, isNew: Bool) throws(ConfigurationError) -> any CopyableStore {
        let setting = StoreSetting(text, in: ".")
        try ConfigurationError.check(setting.flaws(of: name ?? "", isNamed: name != nil, StoreLimits()))
        let years = Duration.seconds(200 * 366 * 86_400)
        switch setting {
        case .memory, .file:
            var options = SQLiteStoreOptions()
            (options.journalAge, options.journalEntries, options.auditEntries) = (years, .max, .max)
            (options.outputsSizeInBytes, options.loadsUnfinishedCopies) = (.max, isNew)
            return SQLiteStore(path: text, options: options)
        case .postgreSQL(let url):
            #if PostgreSQL
            var options = PostgreSQLStoreOptions()
            (options.journalAge, options.journalEntries, options.auditEntries) = (years, .max, .max)
            (options.outputsSizeInBytes, options.loadsUnfinishedCopies) = (.max, isNew)
            let (role, worker) = (isNew ? "the new store" : "the store that you copy", name ?? "")
            let advice =
                isNew
                ? "If you need that process, press Ctrl-C, and choose another database or another --name for the copy. "
                    + "If not, stop the process; the command then continues, but copies only to an empty store."
                : "Stop that process; the command then continues."
            options.waits = { standby in
                let holder =
                    switch standby {
                    case .held(let process), .heldWithOtherDefinitions(let process),
                        .failedWithOtherDefinitions(let process):
                        process
                    }
                Terminal.complain([
                    "The command waits, because a process of the worker \(Printable.quoted(worker)) (\(holder)) "
                        + "uses \(role).",
                    "  \(advice) If that process was killed, wait: the command continues when the lease of the process "
                        + "has ended (`lease_ms`; 10 s by default).",
                ])
            }
            options.troubles = { cause in
                if let cause {
                    Terminal.complain([
                        "The database with \(role) cannot be used now: \(cause).",
                        "  The command tries again. Correct this cause: the database server may be down, out of reach, or "
                            + "wrongly configured.",
                    ])
                }
            }
            return PostgreSQLStore(url, name: name ?? "", options: options)
            #else
            throw WorkerFile.withoutPostgreSQL(url)
            #endif
        }
    }
}

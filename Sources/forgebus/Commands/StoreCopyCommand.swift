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
            throw Errors.copyOfMemory
        }
        let isShared = [from, to].contains { if case .postgreSQL = StoreSetting($0, in: ".") { true } else { false } }
        guard from != to else { throw ValidationError("Both stores are \(from); name another store as the copy.") }
        if isShared, name == nil {
            throw Errors.copyWithoutName
        }
        if let name { _ = try Words.name(name) }
    }

    func run() async throws {
        do {
            let source = try store(from, isNew: false)
            if case .file(let path) = StoreSetting(from, in: "."), !FileManager.default.fileExists(atPath: path) {
                throw Errors.noStoreToCopy(path)
            }
            let digest = try await StoreTransfer(from: source, to: store(to, isNew: true)).run()
            Terminal.say([
                "records           \(digest.records)", "journal entries   \(digest.journal)",
                "outputs           \(digest.outputs)", "audit entries     \(digest.audit)",
                "checksum          \(digest.checksum.hexadecimal)",
                Errors.copied,
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
            options.waits = { standby in
                let holder =
                    switch standby {
                    case .held(let process), .heldWithOtherDefinitions(let process),
                        .failedWithOtherDefinitions(let process):
                        process
                    }
                Terminal.complain(Errors.copyWaits(for: holder, of: worker, role, isNew: isNew))
            }
            options.troubles = { cause in
                if let cause {
                    Terminal.complain(Errors.copyTroubled(role, cause))
                }
            }
            return PostgreSQLStore(url, name: name ?? "", options: options)
            #else
            throw Errors.withoutPostgreSQL(url)
            #endif
        }
    }
}

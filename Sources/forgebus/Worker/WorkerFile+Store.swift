import ForgeBusConfiguration
import ForgeBusSQLite
import ForgeBusStore
import Logging

#if PostgreSQL
import ForgeBusPostgreSQL
#endif

extension WorkerFile {
    /// Makes the store that the file names; nil for a worker without a store.
    ///
    /// - Parameters:
    ///   - replacesDefinitions: Whether to take the worker over from a process that failed and had other definitions.
    ///   - logger: The logger for the state of a database: its failures, and the waits for another process.
    /// - Returns: The store, not loaded.
    /// - Throws: ``ConfigurationError`` if this program cannot use such a store.
    func openStore(replacesDefinitions: Bool, _ logger: Logger) throws(ConfigurationError) -> (any BusStore)? {
        switch store {
        case .memory: return nil
        case .file(let path): return SQLiteStore(path: path, options: SQLiteStoreOptions(storeLimits))
        case .postgreSQL(let url):
            #if PostgreSQL
            var options = PostgreSQLStoreOptions(storeLimits, logger)
            options.definitions = Fingerprint(of: Array((configuration.definitions ?? "").utf8)).hexadecimal
            options.replacesDefinitions = replacesDefinitions
            options.leaseChanged = { [lease] epoch, end in
                lease?.set(epoch: epoch, end: end)
                if end == nil { LostLease.endProcess() }
            }
            return PostgreSQLStore(url, name: configuration.name, options: options)
            #else
            throw Errors.withoutPostgreSQL(url)
            #endif
        }
    }
}

extension SQLiteStoreOptions {
    /// The options that a worker's file sets; the others have their defaults.
    init(_ limits: StoreLimits) {
        self.init()
        if let age = limits.journalAge { journalAge = age }
        if let count = limits.journalEntries { journalEntries = count }
        if let count = limits.auditEntries { auditEntries = count }
        if let size = limits.outputsSizeInBytes { outputsSizeInBytes = Int64(size) }
        if let size = limits.floorInBytes { floorInBytes = Int64(size) }
    }
}

#if PostgreSQL
extension PostgreSQLStoreOptions {
    /// The options that a worker's file sets; the others have their defaults.
    init(_ limits: StoreLimits, _ logger: Logger) {
        self.init()
        if let age = limits.journalAge { journalAge = age }
        if let count = limits.journalEntries { journalEntries = count }
        if let count = limits.auditEntries { auditEntries = count }
        if let size = limits.outputsSizeInBytes { outputsSizeInBytes = Int64(size) }
        if let time = limits.lease { (lease, margin) = (time, time / 5) }
        replicated = limits.isReplicated
        troubles = { cause in
            if let cause {
                logger.warning(
                    Errors.databaseUnusable,
                    metadata: ["cause": "\(cause)"]
                )
            } else {
                logger.notice("the database can be used again")
            }
        }
        waits = { standby in
            switch standby {
            case .held(let holder):
                logger.notice(
                    "another process runs the worker: waiting to take it over",
                    metadata: ["holder": "\(holder)"]
                )
            case .heldWithOtherDefinitions(let holder):
                logger.warning(
                    Errors.heldWithOtherDefinitions,
                    metadata: ["holder": "\(holder)"]
                )
            case .failedWithOtherDefinitions(let holder):
                logger.error(
                    Errors.failedWithOtherDefinitions,
                    metadata: ["holder": "\(holder)"]
                )
            }
        }
    }
}
#endif

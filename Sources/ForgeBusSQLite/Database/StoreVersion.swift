import GRDB

/// A version of the store's tables.
struct StoreVersion: Sendable {
    /// The number that SQLite keeps as `user_version`.
    let number: Int
    /// The types, names and statements of the tables and indexes of this version, as SQLite keeps them.
    let schema: [String]

    init(_ number: Int, by migrations: [Migration]) throws {
        self.number = number
        schema = try DatabaseQueue().write { database in
            for migration in migrations where migration.version <= number { try migration.apply(database) }
            return try Self.schema(in: database)
        }
    }

    /// The newest version that `migrations` lead to.
    static func newest(by migrations: [Migration]) throws -> StoreVersion {
        try StoreVersion(migrations.last?.version ?? 0, by: migrations)
    }

    /// The types, names and statements of the tables and indexes of `database`.
    static func schema(in database: Database) throws -> [String] {
        try String.fetchAll(
            database,
            sql: "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1"
        )
    }
}

import ForgeBusProtocol
import ForgeBusStore
import GRDB

extension StoreSession {
    /// Does what an operator asks; the commits that are asked for meanwhile wait.
    func perform(_ task: StoreTask) throws -> JSONObject {
        switch task {
        case .verify: try verify()
        case .stats: try stats()
        case .backup(let name): try backup(name)
        }
    }

    private func verify() throws -> JSONObject {
        do {
            let totals = try StoreInspection(path: files.main, database: database).verify(schema: schema)
            return ["sound": true, "records": .integer(totals.records), "journal": .integer(totals.entries)]
        } catch {
            let error = StoreError(error, at: files.main)
            guard error.code == .unsound else { throw error }
            return ["sound": false, "flaw": .string(error.message), "next": .string(error.next)]
        }
    }

    private func stats() throws -> JSONObject {
        var rows = JSONObject()
        for (kind, count) in try records.counts() { rows["\(kind)"] = .integer(count) }
        return [
            "store": "sqlite", "path": .string(files.main),
            "size": .integer(Files.size(of: files.main) ?? 0), "log_size": .integer(Files.size(of: files.log) ?? 0),
            "records": .object(rows), "journal": .integer(totals.entries),
            "commits": .integer(Int64(counters.commits)), "groups": .integer(Int64(counters.groups)),
            "fsyncs": .integer(Int64(counters.synchronizations)),
            "checkpoints": .integer(Int64(counters.checkpoints)),
            "free": .integer(Files.room(at: files.directory) ?? 0), "reserve": .bool(reserve.isKept),
        ]
    }

    private func backup(_ name: Name) throws -> JSONObject {
        let path = "\(files.directory)/\(name.text)"
        guard !files.isOwn(path) else {
            throw StoreError(
                .usage,
                "\(path) is a name that the store uses itself.",
                next: "Give the copy another name."
            )
        }
        let totals = try StoreCopy(of: files.main, schema: schema).create(path, from: database)
        return [
            "path": .string(path), "size": .integer(Files.size(of: path) ?? 0),
            "records": .integer(totals.records), "journal": .integer(totals.entries),
        ]
    }

    private var schema: [String] {
        get throws { try StoreConnection.schema(of: options.migrations.last?.version ?? 0, options.migrations) }
    }
}

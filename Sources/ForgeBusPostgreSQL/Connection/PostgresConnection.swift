#if PostgreSQL
import CPostgreSQL
import ForgeBusStore
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A connection to a PostgreSQL server.
///
/// It sends all statements of a transaction together, and then waits for all answers. It prepares no statements on the
/// server, because a pooler in transaction mode may use a different connection to the server for each transaction. One
/// thread owns the connection.
final class PostgresConnection {
    private let handle: OpaquePointer
    private let notices = Notices()

    /// The warnings of the server since the beginning of the transaction.
    private final class Notices {
        var warnings: [String] = []
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - target: A URL or a list of settings, as libpq takes them.
    ///   - purpose: The application name that the server shows for the connection, for instance in `pg_stat_activity`.
    ///   - patience: How many seconds to wait for each address, at least 2.
    /// - Throws: ``PostgresFailure/lost(_:)`` if there is no connection.
    init(_ target: String, for purpose: String, patience: Int = 5) throws(PostgresFailure) {
        try Self.check(target)
        // The settings before `dbname` are defaults, those after it cannot be replaced by the target.
        let settings = [
            ("connect_timeout", "\(patience)"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"),
            ("tcp_user_timeout", "20000"), ("fallback_application_name", purpose), ("dbname", target),
            ("client_encoding", "UTF8"), ("target_session_attrs", "read-write"),
        ]
        guard let handle = Self.connect(settings) else { throw .lost(Errors.noMemory) }
        self.handle = handle
        // From here on, the object is complete, so its `deinit` frees the connection, also after an error.
        guard PQstatus(handle) == CONNECTION_OK else { throw .lost(Self.message(of: handle)) }
        PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context, let result, PostgresConnection.field(forge_pg_severity, of: result) == "WARNING"
                else {
                    return
                }
                let notices = Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue()
                notices.warnings.append(
                    PostgresConnection.field(forge_pg_message, of: result) ?? "a warning without a text"
                )
            },
            Unmanaged.passUnretained(notices).toOpaque()
        )
        PQsetnonblocking(handle, 1)
        PQenterPipelineMode(handle)
    }

    deinit { PQfinish(handle) }

    /// Runs statements in one transaction, and commits it.
    ///
    /// - Parameters:
    ///   - statements: The statements.
    ///   - isReplicated: Whether the commit must have waited for a replica, which the server is asked after it.
    ///   - deadline: When the answers must have come.
    /// - Returns: What each statement returned.
    /// - Throws: ``PostgresFailure``; after ``PostgresFailure/lost(_:)``, the connection must not be used again.
    func commit(
        _ statements: [PostgresStatement],
        isReplicated: Bool = false,
        until deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) -> [PostgresRows] {
        let begin = PostgresStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        let transaction = [begin] + statements + [PostgresStatement("COMMIT")]
        // If the list of replicas becomes empty, the server ends the wait for a replica without a warning.
        let question = isReplicated ? [PostgresStatement("SELECT current_setting('synchronous_standby_names')")] : []
        do throws(PostgresFailure) {
            let answers = try run(transaction + question, committingAt: transaction.count - 1, until: deadline)
            if let warning = notices.warnings.first { throw .warned(warning) }
            if isReplicated, answers.last?.text(0, 0) == "" { throw .warned(Errors.unreplicated) }
            return Array(answers.dropFirst().prefix(statements.count))
        } catch .refused(let state, let message) {
            // The statements after the refused one were not executed, so the transaction is still open.
            if PQtransactionStatus(handle) != PQTRANS_IDLE {
                _ = try run([PostgresStatement("ROLLBACK")], until: deadline)
            }
            throw .refused(state: state, message: message)
        }
    }

    /// Runs statements that change nothing, without BEGIN and COMMIT.
    ///
    /// The server's own time limit, `statement_timeout`, does not end them: a page of records may take longer.
    func read(
        _ statements: [PostgresStatement],
        until deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) -> [PostgresRows] {
        // What is sent together is one transaction, for which the setting holds.
        let unlimited = PostgresStatement("SELECT set_config('statement_timeout', '0', true)")
        return Array(try run([unlimited] + statements, until: deadline).dropFirst())
    }

    private func run(
        _ statements: [PostgresStatement],
        committingAt commit: Int? = nil,
        until deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) -> [PostgresRows] {
        notices.warnings = []
        for statement in statements { try send(statement) }
        guard PQpipelineSync(handle) == 1 else { throw broken }
        var answers: [PostgresRows] = []
        var refusal: PostgresFailure?
        for index in statements.indices {
            // The warnings of earlier statements say nothing about the commit.
            if index == commit { notices.warnings = [] }
            var result = try next(until: deadline)
            while let found = result {
                switch PQresultStatus(found) {
                case PGRES_TUPLES_OK, PGRES_COMMAND_OK: answers.append(PostgresRows(found))
                case PGRES_PIPELINE_ABORTED: PQclear(found)
                default:
                    let failure = Self.failure(of: found)
                    PQclear(found)
                    // After an error that ends the connection, nobody knows what the server has done before.
                    if case .lost = failure { throw failure }
                    refusal = refusal ?? failure
                }
                result = try next(until: deadline)
            }
        }
        let sync = try next(until: deadline)
        defer { PQclear(sync) }
        guard PQresultStatus(sync) == PGRES_PIPELINE_SYNC else { throw broken }
        if let refusal { throw refusal }
        return answers
    }

    private func send(_ statement: PostgresStatement) throws(PostgresFailure) {
        let parameters = statement.parameters
        // One buffer holds all values; an empty value must not be a null pointer, which would be NULL.
        var buffer: [UInt8] = []
        buffer.reserveCapacity(parameters.reduce(1) { $0 + ($1.bytes?.count ?? 0) })
        var offsets: [Int?] = []
        for parameter in parameters {
            offsets.append(parameter.bytes == nil ? nil : buffer.count)
            if let bytes = parameter.bytes { buffer += bytes }
        }
        buffer.append(0)
        let isSent = buffer.withUnsafeBufferPointer { buffer in
            let base = UnsafeRawPointer(buffer.baseAddress!).assumingMemoryBound(to: CChar.self)
            return PQsendQueryParams(
                handle,
                statement.text,
                CInt(parameters.count),
                parameters.map(\.type),
                offsets.map { $0.map { base + $0 } },
                parameters.map { CInt($0.bytes?.count ?? 0) },
                parameters.map { _ in 1 },
                1
            )
        }
        guard isSent == 1 else { throw broken }
    }

    /// The next result; nil at the end of the results of a statement.
    private func next(until deadline: ContinuousClock.Instant) throws(PostgresFailure) -> OpaquePointer? {
        var isFlushed = PQflush(handle)
        guard isFlushed >= 0 else { throw broken }
        while PQisBusy(handle) == 1 {
            try wait(forRoom: isFlushed == 1, until: deadline)
            guard PQconsumeInput(handle) == 1 else { throw broken }
            if isFlushed == 1 { isFlushed = PQflush(handle) }
            guard isFlushed >= 0 else { throw broken }
        }
        return PQgetResult(handle)
    }

    private func wait(forRoom: Bool, until deadline: ContinuousClock.Instant) throws(PostgresFailure) {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { throw .lost("the server did not answer in time") }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN | (forRoom ? POLLOUT : 0)), revents: 0)
        let milliseconds = min(left / .milliseconds(1), 3_600_000)
        _ = poll(&descriptor, 1, CInt(milliseconds) + 1)
    }

    private var broken: PostgresFailure { .lost(Self.message(of: handle)) }

    /// Checks the syntax of the target, because libpq's own error would show a part of the target, perhaps a password.
    private static func check(_ target: String) throws(PostgresFailure) {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(target, &message)
        defer {
            PQconninfoFree(options)
            PQfreemem(message)
        }
        guard options == nil else { return }
        throw .unsuitable(Errors.badTarget)
    }

    private static func connect(_ settings: [(String, String)]) -> OpaquePointer? {
        var words: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0.0) } + [nil]
        var values: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0.1) } + [nil]
        defer {
            for word in words { free(word) }
            for value in values { free(value) }
            (words, values) = ([], [])
        }
        return PQconnectdbParams(
            words.map { $0.map { UnsafePointer($0) } },
            values.map { $0.map { UnsafePointer($0) } },
            1
        )
    }

    private static func failure(of result: OpaquePointer) -> PostgresFailure {
        let message = field(forge_pg_message, of: result) ?? "an error without a text"
        let severity = field(forge_pg_severity, of: result)
        guard severity == "ERROR", let state = field(forge_pg_state, of: result) else { return .lost(message) }
        // States that begin with 08: a proxy reports that its connection to the server failed. State 25006: the server
        // has become a replica, and accepts no changes.
        guard !state.hasPrefix("08"), state != "25006" else { return .lost(message) }
        return .refused(state: state, message: message)
    }

    private static func field(_ code: CInt, of result: OpaquePointer) -> String? {
        PQresultErrorField(result, code).map { String(cString: $0) }
    }

    /// The latest message of libpq, on one line, without its hints and without a full stop at its end.
    ///
    /// A hint is a question, such as whether the server is running; the error's next move says the same.
    private static func message(of handle: OpaquePointer) -> String {
        let lines = String(cString: PQerrorMessage(handle)).split(whereSeparator: \.isNewline)
        let parts = lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.hasSuffix("?") }
        // Some lines continue a sentence, and others begin one, although the line before has no full stop.
        let text = parts.reduce("") { text, part in
            guard let last = text.last else { return part }
            return text + (part.first?.isUppercase == true && !".:;,".contains(last) ? ". " : " ") + part
        }
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
#endif

#if PostgreSQL
import ForgeLocks
import Foundation
import Subprocess
import Testing

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A PostgreSQL server of the tests' own, in a directory of its own, which ends with this process.
final class PostgresServer: Sendable {
    /// The server of all tests that need nothing special of it.
    static let shared = Task { try await PostgresServer() }

    let directory: String
    /// Holds the server: it ends when the other end of this pipe closes.
    private let holder: FileDescriptor
    /// Gets a value each time that the server has started.
    private let ready: AsyncStream<Void>

    /// How to reach a database of the server; `directory` is that of a relay in front of it.
    func target(_ database: String = "forge", in directory: String? = nil) -> String {
        "host=\(directory ?? self.directory) user=postgres dbname=\(database)"
    }

    /// Where a PgBouncer listens that gives each transaction another connection to the server.
    var pool: String { "\(directory)/pool" }

    /// The path of the server's socket.
    var socket: String { "\(directory)/.s.PGSQL.5432" }

    /// Starts a server with these settings.
    init(_ settings: [String: String] = [:]) async throws {
        directory = "/tmp/forge-pg-\(UUID().uuidString.prefix(8))"
        let others = settings.map { "-c \($0.key)=\($0.value)" }.joined(separator: " ")
        let script = """
            set -e
            cd /
            set -- /usr/lib/postgresql/*/bin/initdb
            [ -x "$1" ] || set -- "$(command -v initdb)"
            bin=$(dirname "$1")
            mkdir -m 700 \(directory)
            as=
            if [ "$(id -u)" = 0 ]; then chown postgres \(directory); as="runuser -u postgres --"; fi
            trap 'exit 1' HUP INT TERM
            trap 'kill "$(cat \(directory)/pool.pid)"; \
            [ ! -d \(directory)/second ] || $as "$bin/pg_ctl" -D \(directory)/replica -m immediate stop >/dev/null; $as "$bin/pg_ctl" -D \(directory)/data -m immediate stop >/dev/null; rm -rf \(directory)' EXIT
            $as "$bin/initdb" -D \(directory)/data -U postgres -A trust -E UTF8 --no-locale -N >/dev/null
            $as "$bin/pg_ctl" -D \(directory)/data -w -l \(directory)/log start -o "-k \(directory) -c listen_addresses= \
            -c max_connections=200 -c shared_buffers=64MB \(others)" >/dev/null
            $as "$bin/createdb" -h \(directory) -U postgres forge
            $as mkdir \(directory)/pool
            $as sh -c 'cat >\(directory)/pool.ini' <<END
            [databases]
            * = host=\(directory) user=postgres
            [pgbouncer]
            pool_mode = transaction
            auth_type = any
            listen_addr =
            listen_port = 5432
            unix_socket_dir = \(directory)/pool
            max_client_conn = 200
            pidfile = \(directory)/pool.pid
            logfile = \(directory)/pool.log
            END
            $as pgbouncer -q -d \(directory)/pool.ini
            until psql -h \(directory)/pool -U postgres -d forge -c "SELECT 1" >/dev/null 2>&1; do sleep 0.02; done
            echo ready
            while read -r word; do
                if [ $word = replica ]; then
                    $as "$bin/pg_basebackup" -h \(directory) -U postgres -D \(directory)/replica -R -c fast
                    $as mkdir \(directory)/second
                    $as "$bin/pg_ctl" -D \(directory)/replica -w -l \(directory)/replica.log start -o "-k \(directory)/second \
            -c listen_addresses= -c shared_buffers=64MB -c max_connections=200 \(others)" >/dev/null
                else
                    $as "$bin/pg_ctl" -D \(directory)/data -w -m immediate restart >/dev/null
                fi
                echo ready
            done
            """
        let ends = try FileDescriptor.pipe()
        holder = ends.writeEnd
        // Otherwise the programs that other tests start would hold the server, too.
        _ = fcntl(holder.rawValue, F_SETFD, FD_CLOEXEC)
        let isReady = AsyncStream<Void>.makeStream()
        ready = isReady.stream
        Task {
            _ = try? await Subprocess.run(
                .path("/bin/sh"),
                arguments: ["-c", script],
                input: .fileDescriptor(ends.readEnd, closeAfterSpawningProcess: true),
                output: .sequence,
                error: .discarded
            ) { execution in
                for try await line in execution.standardOutput.strings() where line.contains("ready") {
                    isReady.continuation.yield()
                }
            }
            isReady.continuation.finish()
        }
        for await _ in ready { return }
        throw Unavailable()
    }

    /// Restarts the server as after a crash.
    func restart() async throws {
        try await tell("restart")
    }

    /// Starts a replica of the server; the server does not wait for it until it is told to.
    func startReplica() async throws {
        try await tell("replica")
    }

    private func tell(_ word: String) async throws {
        _ = try holder.writeAll("\(word)\n".utf8)
        for await _ in ready { return }
        throw Unavailable()
    }

    /// The server did not start.
    struct Unavailable: Error, CustomStringConvertible {
        let description = "No PostgreSQL server started: install postgresql, as deploy/test does."
    }

    /// Ends the server at once, as a crash does.
    deinit { try? holder.close() }

    /// Runs SQL text until the server ends the connection.
    func sqlUntilCutOff(_ text: String) async throws {
        _ = try await Subprocess.run(
            .name("psql"),
            arguments: ["-h", directory, "-U", "postgres", "-d", "forge", "-AtqX", "-c", text],
            output: .discarded,
            error: .discarded
        )
    }

    /// Makes commits wait for the replicas of this list; empty for none.
    func waitForReplicas(_ names: String) async throws { try await set("synchronous_standby_names", to: names) }

    /// Changes a setting of the running server.
    func set(_ setting: String, to value: String) async throws {
        try await sql("ALTER SYSTEM SET \(setting) = '\(value)'")
        try await sql("SELECT pg_reload_conf()")
        while try await sql("SHOW \(setting)") != value { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Where the server's replica listens.
    var replica: String { "\(directory)/second" }

    /// Runs SQL text, and returns what psql prints; `host` is the directory of the server or of its replica.
    @discardableResult
    func sql(_ text: String, database: String = "forge", on host: String? = nil) async throws -> String {
        let result = try await Subprocess.run(
            .name("psql"),
            arguments: [
                "-h", host ?? directory, "-U", "postgres", "-d", database, "-AtqX", "-v", "ON_ERROR_STOP=1", "-c", text,
            ],
            output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 16)
        )
        try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
        return result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
#endif

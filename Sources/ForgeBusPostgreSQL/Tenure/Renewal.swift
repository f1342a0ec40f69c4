#if PostgreSQL
import Dispatch
import ForgeBusStore
import ForgeLocks
import Foundation

/// Renews a tenure, on a thread and a connection of its own, until it is stopped or the tenure has ended.
final class Renewal: Sendable {
    private let tenure: Tenure
    private let options: PostgreSQLStoreOptions
    private let state = Guarded(State())
    private let wake = LaneSemaphore(value: 0)

    private struct State {
        var isStopped = false
        /// Those who wait for a renewal that begins after they asked.
        var waiters: [@Sendable (StoreError?) -> Void] = []
    }

    init(of tenure: Tenure, _ options: PostgreSQLStoreOptions) {
        self.tenure = tenure
        self.options = options
    }

    /// Begins to renew.
    func start() {
        let thread = Thread { [self] in run() }
        thread.name = "forgebus-lease"
        thread.start()
    }

    /// Calls `body` after a renewal that begins after this call, with nil if this process still held the name, otherwise
    /// with the tenure's error.
    func confirm(_ body: @escaping @Sendable (StoreError?) -> Void) {
        let (isStopped, isFirst) = state.withLock { state in
            if !state.isStopped { state.waiters.append(body) }
            return (state.isStopped, state.waiters.count == 1)
        }
        if isStopped { return body(tenure.error ?? Self.stopped) }
        // The thread takes all waiters at once, so the others need not wake it.
        if isFirst { wake.signal() }
    }

    /// Ends the thread, after the renewal that it may be sending.
    func stop() {
        state.withLock { $0.isStopped = true }
        wake.signal()
    }

    private func run() {
        var connection: PostgresConnection?
        var failures = 0
        while tenure.holds, !state.withLock({ $0.isStopped }) {
            if !options.renews, state.withLock({ $0.waiters.isEmpty }) {
                sleep(for: .seconds(3600))
                continue
            }
            let waiters = state.withLock { state in exchange(&state.waiters, with: []) }
            let sent = options.clock()
            options.renewing?()
            do throws(PostgresFailure) {
                let current = if let connection { connection } else { try connect() }
                connection = current
                // The time limit is short: if this connection is lost, another one may still renew the lease in time.
                _ = try current.commit([tenure.renewing], until: .now + max(tenure.lease / 4, .seconds(1)))
                tenure.renewed(sentAt: sent)
                failures = 0
                let error = tenure.error
                for waiter in waiters { waiter(error) }
                sleep(for: tenure.lease / 4)
            } catch {
                if let loss = error.loss { tenure.lose(loss) }
                connection = nil
                state.withLock { $0.waiters = waiters + $0.waiters }
                if tenure.holds { sleep(for: Reconnection.pause(after: failures)) }
                failures += 1
            }
        }
        let waiters = state.withLock { state in
            state.isStopped = true
            return exchange(&state.waiters, with: [])
        }
        for waiter in waiters { waiter(tenure.error ?? Self.stopped) }
    }
}

extension Renewal {
    private static let stopped = StoreError(.usage, "The store is closed.", next: "Load the store again.")

    private func connect() throws(PostgresFailure) -> PostgresConnection {
        try PostgresConnection(options.target, for: "forgebus lease \(tenure.place.name)", patience: 2)
    }

    private func sleep(for time: Duration) {
        _ = wake.wait(until: DispatchTime.now().uptimeNanoseconds + time.nanoseconds)
    }
}

extension Tenure {
    /// The statement that renews the lease.
    fileprivate var renewing: PostgresStatement {
        PostgresStatement(
            "SELECT forgebus.renew($1::integer, $2, $3, $4)",
            proof
        )
    }
}
#endif

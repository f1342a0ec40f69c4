import CFloor
import ForgeOrchestrator
import Foundation
import ZeroMQ

/// A server that shows the cost of a durable RUN without the work of a worker and its store.
///
/// It answers each RUN twice, each time after code in plain C has written a row to the disk, and runs the pipeline
/// between the two answers.
enum BareDurableRun {
    /// Serves until `body` returns.
    ///
    /// - Returns: The result of `body`, and the average number of rows in a transaction, rounded down.
    /// - Throws: ``TransportMeasureFailure`` if SQLite cannot create the file for the rows; and the errors of `body`.
    static func serve<Value>(
        _ body: (_ endpoint: String) async throws -> Value
    ) async throws -> (value: Value, rowsPerTransaction: Int) {
        let directory = try BenchDirectory()
        defer { directory.remove() }
        let lane = try RowLane(directory.file("bare.sqlite"))
        defer { lane.stop() }
        let value = try await BareServer.serve(body) { reactor in try reactor.answerWhenKept(by: lane) }
        return (value, lane.rowsPerTransaction)
    }
}

extension Reactor {
    fileprivate func answerWhenKept(by lane: RowLane) throws -> Endpoint {
        let router = try open(Router.self, options: .keepingAll)
        let orchestrator = BareServer.feed()
        let tasks = TaskBatches()
        lane.start(self)
        receive(router) { message in
            lane.add { reactor in
                reactor.reply(message, to: message, on: router)
                tasks.begin {
                    _ = await orchestrator.run(context: PipelineContext(BareServer.seeds))
                    lane.add { reactor in reactor.reply(message, to: message, on: router) }
                }
            }
        }
        return try listen(router, nil)
    }
}

/// A thread that writes one row for each caller, and calls the callers back when their transaction is on the disk.
///
/// It omits all other work of a worker's store, such as the content of rows, checksums and the accounting of free
/// space.
///
/// Unchecked: the condition guards the mutable state. Only the lane's thread uses the table until that thread has
/// ended.
private final class RowLane: @unchecked Sendable {
    typealias Kept = @Sendable (isolated Reactor) -> Void

    /// A transaction begins when this many rows wait.
    ///
    /// A run has two rows, so a thousand runs need 59 transactions of this size; the target is at most 60.
    private static let enough = 34
    /// How long the first row waits, in seconds, before a transaction begins with fewer rows.
    private static let patience: TimeInterval = 0.001

    private let table: OpaquePointer
    private let condition = NSCondition()
    /// The callers whose rows wait for the next transaction; guarded by `condition`.
    private var waiting: [Kept] = []
    /// Whether the lane's thread has started; guarded by `condition`.
    private var isStarted = false
    /// Whether the lane's thread must end when no caller waits any more; guarded by `condition`.
    private var isStopped = false
    /// The number of rows and transactions so far; guarded by `condition`.
    private var total = (rows: 0, transactions: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(_ path: String) throws {
        guard let table = cfloor_table_open(path, BareDisk.valueSize) else {
            throw TransportMeasureFailure(description: "SQLite could not create the file \(path).")
        }
        self.table = table
    }

    func start(_ reactor: Reactor) {
        condition.withLock { isStarted = true }
        Thread { [self] in serve(reactor) }.start()
    }

    func stop() {
        let isStarted = condition.withLock {
            isStopped = true
            condition.signal()
            return self.isStarted
        }
        if isStarted { ended.wait() }
        cfloor_table_close(table)
    }

    var rowsPerTransaction: Int { condition.withLock { total.rows / max(1, total.transactions) } }

    func add(_ kept: @escaping Kept) {
        condition.withLock {
            waiting.append(kept)
            if waiting.count == 1 || waiting.count == Self.enough { condition.signal() }
        }
    }

    private func serve(_ reactor: Reactor) {
        while let group = next() {
            guard cfloor_table_add(table, UInt64(group.count)) == 0 else {
                fatalError("SQLite could not write a row to the disk.")
            }
            reactor.submit { reactor in for kept in group { kept(reactor) } }
        }
        ended.signal()
    }

    /// Waits until enough callers wait, or until the first one has waited for `patience`; then takes all of them.
    ///
    /// - Returns: The callers of the next transaction; nil if the lane is stopped and no caller waits.
    private func next() -> [Kept]? {
        condition.lock()
        defer { condition.unlock() }
        while waiting.isEmpty {
            if isStopped { return nil }
            condition.wait()
        }
        let end = Date(timeIntervalSinceNow: Self.patience)
        while waiting.count < Self.enough, condition.wait(until: end) {}
        total = (total.rows + waiting.count, total.transactions + 1)
        defer { waiting = [] }
        return waiting
    }
}

import CFloor
import ForgeOrchestrator
import Foundation
import ZeroMQ

/// A server that answers each RUN twice, each time when a row of plain C is on the disk, and runs the pipeline in between:
/// the cost of a durable RUN without the work of a worker and its store.
enum BareDurableRun {
    /// Serves for as long as `body` takes.
    ///
    /// - Returns: What `body` does, and how many rows a transaction had on average.
    /// - Throws: ``TransportMeasureFailure`` when there is no file for the rows, or whatever `body` does.
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
        let router = try open(Router.self)
        let orchestrator = BareServer.feed()
        let tasks = TaskBatches()
        lane.start(self)
        receive(router) { _, peer, message in
            lane.add { reactor in
                reactor.send(message, on: router, to: peer)
                tasks.begin {
                    _ = await orchestrator.run(context: PipelineContext(BareServer.seeds))
                    lane.add { reactor in reactor.send(message, on: router, to: peer) }
                }
            }
        }
        return try listen(router, nil)
    }
}

/// A thread that adds a row for each caller, and calls all callers of a transaction back when it is on the disk.
///
/// It leaves out all other work of a worker's store: the content of rows, checksums, the accounting of free space.
///
/// Unchecked: what the condition guards is touched under it, and the table by the lane's thread until that has ended.
private final class RowLane: @unchecked Sendable {
    typealias Kept = @Sendable (isolated Reactor) -> Void

    /// With two rows a run, so many make at most 59 transactions of a thousand runs, of the 60 that there may be.
    private static let enough = 34
    /// Fewer rows are committed this long after the first of them arrived.
    private static let patience: TimeInterval = 0.001

    private let table: OpaquePointer
    private let condition = NSCondition()
    /// Guarded by the condition.
    private var waiting: [Kept] = []
    /// Guarded by the condition.
    private var isStarted = false
    /// Guarded by the condition.
    private var isStopped = false
    /// Guarded by the condition.
    private var total = (rows: 0, transactions: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(_ path: String) throws {
        guard let table = cfloor_table_open(path, BareDisk.valueSize) else {
            throw TransportMeasureFailure(description: "SQLite could not make \(path).")
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
            guard cfloor_table_add(table, UInt64(group.count)) == 0 else { fatalError("The disk took no row.") }
            reactor.submit { reactor in for kept in group { kept(reactor) } }
        }
        ended.signal()
    }

    /// Everything that waits, once that is enough; nil in the end.
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

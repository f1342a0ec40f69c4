import CFloor
import ForgeOrchestrator
import Foundation
import ZeroMQ

/// A server that answers each RUN twice, each time when a row of plain C is on the disk, and runs the pipeline in between:
/// what is left of a durable RUN when everything is taken away that a worker and its store exist for.
enum BareDurableRun {
    /// With two rows a run, so many make 59 transactions of a thousand runs; 60 is the most there may be.
    static let rowsPerTransaction = 34

    /// Serves for as long as `body` takes.
    ///
    /// - Throws: ``TransportMeasureFailure`` when the disk does not do its part.
    static func serve<Value>(_ body: (_ endpoint: String) async throws -> Value) async throws -> Value {
        let directory = try BenchDirectory()
        defer { directory.remove() }
        let lane = try RowLane(directory.file("bare.sqlite"))
        defer { lane.stop() }
        return try await BareServer.serve(body) { reactor in try reactor.answerWhenKept(by: lane) }
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

/// A thread that adds a row for each who asks, and tells all of a transaction together when it is on the disk.
///
/// Whatever a worker's store does beside that is left out: what a row says, checksums, the books of what is free.
private final class RowLane: @unchecked Sendable {
    typealias Kept = @Sendable (isolated Reactor) -> Void

    /// What is less than that goes when nothing has come for so long.
    private static let patience: TimeInterval = 0.001

    private let table: OpaquePointer
    private let condition = NSCondition()
    /// Guarded by the condition.
    private var waiting: [Kept] = []
    /// Guarded by the condition.
    private var isStopped = false
    private let ended = DispatchSemaphore(value: 0)

    init(_ path: String) throws {
        guard let table = cfloor_table_open(path, BareDisk.valueSize) else {
            throw TransportMeasureFailure(description: "SQLite could not make \(path).")
        }
        self.table = table
    }

    func start(_ reactor: Reactor) { Thread { [self] in serve(reactor) }.start() }

    func stop() {
        condition.lock()
        isStopped = true
        condition.signal()
        condition.unlock()
        ended.wait()
        cfloor_table_close(table)
    }

    func add(_ kept: @escaping Kept) {
        condition.lock()
        waiting.append(kept)
        if waiting.count == 1 || waiting.count == BareDurableRun.rowsPerTransaction { condition.signal() }
        condition.unlock()
    }

    private func serve(_ reactor: Reactor) {
        while let group = next() {
            guard cfloor_table_add(table, UInt64(group.count)) == 0 else { fatalError("The disk took no row.") }
            reactor.submit { reactor in for kept in group { kept(reactor) } }
        }
        ended.signal()
    }

    /// As many as make a transaction; nil in the end.
    private func next() -> [Kept]? {
        condition.lock()
        defer { condition.unlock() }
        while waiting.isEmpty {
            if isStopped { return nil }
            condition.wait()
        }
        let end = Date(timeIntervalSinceNow: Self.patience)
        while waiting.count < BareDurableRun.rowsPerTransaction, condition.wait(until: end) {}
        defer { waiting = [] }
        return waiting
    }
}

import ForgeBusProtocol
import ForgeBusStore

/// A run that has ended; kept as long as the ledger keeps its request.
///
/// A class, so that a book of many of them moves references when it grows.
final class EndedRun: Sendable {
    let pipeline: Name
    let principal: String
    /// The request that began it, and when it was accepted and ended, in milliseconds since 1970.
    let request: RequestKey
    let accepted: Int64
    /// When it got its first slot, if it did.
    let began: Int64?
    let ended: Int64
    let result: RunResult
    /// About how many bytes it takes in memory beyond those of every result.
    let size: Int

    /// The run's id.
    var id: Name { result.run.knownName }

    init(_ run: RunMachine, _ result: RunResult, at unixMilliseconds: Int64) {
        (pipeline, principal, request) = (run.pipeline, run.principal, run.request)
        (accepted, began, ended) = (run.terms.accepted, run.began, unixMilliseconds)
        self.result = result
        size = result.footprint
    }

    /// A run that ended in an earlier worker.
    init(_ record: RunRecord, _ end: RunRecord.End) {
        (pipeline, principal, request) = (record.pipeline, record.principal, record.request)
        (accepted, began, ended) = (record.accepted, record.began, end.ended)
        result = end.result
        size = end.result.footprint
    }
}

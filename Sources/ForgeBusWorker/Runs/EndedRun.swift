import ForgeBusProtocol
import ForgeBusStore

/// A run that has ended; kept as long as the ledger keeps its request.
///
/// This is a class, so that a large book of ended runs moves only references when it grows.
final class EndedRun: Sendable {
    let pipeline: Name
    let principal: String
    /// The request that began the run; below, when the run was accepted and ended, in milliseconds since 1970.
    let request: RequestKey
    let accepted: Int64
    /// When the run got its first slot, in milliseconds since 1970; nil if it got none.
    let began: Int64?
    let ended: Int64
    let result: RunResult
    /// About how many bytes the result takes in memory, beyond those that every result takes.
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

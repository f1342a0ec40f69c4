import ForgeBusProtocol
import ForgeBusStore

/// A run that has ended; the worker keeps it as long as the ledger keeps the run's request.
///
/// This is a class, so that a large table of ended runs moves only references when it grows.
final class EndedRun: Sendable {
    let pipeline: Name
    let principal: String
    /// The principal that sent the request for ``principal``; nil if the principal sent it itself.
    let via: String?
    /// The request that began the run.
    let request: RequestKey
    /// When the run was accepted, in milliseconds since 1970.
    let accepted: Int64
    /// When the run got its first slot, in milliseconds since 1970; nil if it got none.
    let began: Int64?
    /// When the run ended, in milliseconds since 1970.
    let ended: Int64
    let result: RunResult
    /// What the run was about; nil if its pipeline had no title.
    let title: String?
    /// The action, monitor or event that requested the run; nil if a sender requested it.
    let origin: RunOrigin?
    /// The approximate memory that the result's outputs and reasons take, in bytes.
    let size: Int
    /// Whether the store was told seeds or decisions of the run, which SHOW reads from there.
    let hasTexts: Bool

    /// The run's id.
    var id: Name { result.run.knownName }

    init(_ run: RunMachine, _ result: RunResult, hasTexts: Bool, at unixMilliseconds: Int64) {
        (pipeline, principal, request) = (run.pipeline, run.principal, run.request)
        (accepted, began, ended) = (run.terms.accepted, run.began, unixMilliseconds)
        self.result = result
        (origin, via, title) = (run.terms.origin, run.terms.via, run.terms.title)
        size = result.footprint
        self.hasTexts = hasTexts
    }

    /// Restores a run that ended in an earlier worker.
    init(_ record: RunRecord, _ end: RunRecord.End) {
        (pipeline, principal, request) = (record.pipeline, record.principal, record.request)
        (accepted, began, ended) = (record.accepted, record.began, end.ended)
        result = end.result
        (origin, via, title) = (record.origin, record.via, record.title)
        size = end.result.footprint
        hasTexts = end.hasTexts
    }
}

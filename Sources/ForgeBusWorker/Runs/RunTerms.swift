import ForgeBusProtocol
import ForgeBusStore

/// The terms on which a run was accepted; they never change.
///
/// This is a class, so that reading a run copies only one reference to its terms.
final class RunTerms: Sendable {
    let id: Name
    let request: RequestKey
    let fingerprint: Fingerprint
    let pipeline: Name
    /// When the run was accepted, in milliseconds since 1970.
    let accepted: Int64
    let principal: String
    let seeds: JSONObject
    /// About how many bytes the seeds take in memory.
    let seedsSize: Int

    init(
        id: Name,
        request: RequestKey,
        fingerprint: Fingerprint,
        pipeline: Name,
        accepted: Int64,
        principal: String,
        seeds: JSONObject
    ) {
        self.id = id
        self.request = request
        self.fingerprint = fingerprint
        self.pipeline = pipeline
        self.accepted = accepted
        self.principal = principal
        self.seeds = seeds
        seedsSize = seeds.footprint
    }
}

import ForgeBusProtocol
import ForgeBusStore

/// The facts of a run that are fixed when it is accepted, such as its id, its request and its seeds.
///
/// This is a class, so that a copy of a run copies only a reference to these facts.
final class RunTerms: Sendable {
    let id: Name
    let request: RequestKey
    let fingerprint: Fingerprint
    let pipeline: Name
    /// When the run was accepted, in milliseconds since 1970.
    let accepted: Int64
    let principal: String
    /// The principal that sent the request for ``principal``; nil if the principal sent it itself.
    let via: String?
    let seeds: JSONObject
    /// What the run is about, as its pipeline's title says; nil if the pipeline has none.
    let title: String?
    /// The key that the run holds while it is begun and unfinished; nil if it executes beside any other run.
    let key: ExclusiveKey?
    /// The action, monitor or event that requested the run; nil if a sender requested it.
    let origin: RunOrigin?
    /// The approximate memory that the seeds take, in bytes.
    let seedsSize: Int

    init(
        id: Name,
        request: RequestKey,
        fingerprint: Fingerprint,
        pipeline: Name,
        accepted: Int64,
        principal: String,
        via: String? = nil,
        seeds: JSONObject,
        title: String? = nil,
        key: ExclusiveKey? = nil,
        origin: RunOrigin? = nil
    ) {
        self.id = id
        self.request = request
        self.fingerprint = fingerprint
        self.pipeline = pipeline
        self.accepted = accepted
        self.principal = principal
        self.via = via
        self.seeds = seeds
        self.title = title
        self.key = key
        self.origin = origin
        seedsSize = seeds.footprint
    }
}

extension RunTerms {
    /// Whether the run is older than another one.
    ///
    /// Runs that were accepted in the same millisecond are ordered by the numbers in their ids.
    func precede(_ other: RunTerms) -> Bool {
        (accepted, id.text.utf8.count, id) < (other.accepted, other.id.text.utf8.count, other.id)
    }
}

import ForgeBusProtocol
import ForgeBusStore

/// The data of a new run, which a sender or the worker itself requested.
struct NewRun {
    /// The id that the run gets; nil for the next unused id.
    var id: Name?
    let pipeline: Name
    let seeds: JSONObject
    /// The request that begins the run; nil if a monitor or an event requested it.
    ///
    /// With nil, the run gets a request key that contains the run's own id.
    var request: RequestKey?
    var fingerprint = Fingerprint.none
    let principal: AccessPolicy.Principal
    var deadline: Duration?
    /// The W3C trace context of the request as it came, not checked; nil without one.
    var traceparent: String?
    var listener: RunAudience.Listener?
    var origin: RunOrigin?
    /// The run whose action requests the run and waits for its end; nil if no run does.
    var waiter: Name?
}

extension NewRun {
    /// Makes the data of the run that a sender requests.
    init(_ request: RunRequest, _ received: Received) {
        self.init(
            pipeline: request.pipeline,
            seeds: request.seeds,
            request: received.key,
            fingerprint: received.fingerprint,
            principal: received.principal,
            deadline: request.deadline,
            traceparent: received.request.traceparent,
            listener: RunAudience.Listener(
                received,
                isDetached: request.isDetached,
                wantsProgress: request.wantsProgress
            )
        )
    }

    /// Makes the data of the run that a monitor or an event requested.
    init(_ record: RequestedRunRecord, seeds: JSONObject) {
        self.init(id: record.run, pipeline: record.pipeline, seeds: seeds, principal: .worker, origin: record.origin)
    }

    /// Makes the data of the run that an action of `outer` requests; both runs have the same requesters.
    init(_ request: RequestByRun, of outer: RunMachine) {
        let above = outer.terms.origin
        self.init(
            pipeline: request.order.pipeline,
            seeds: request.order.seeds,
            request: .worker(request),
            principal: AccessPolicy.Principal(outer.principal),
            traceparent: outer.traceparent,
            origin: RunOrigin(
                .action(run: request.outer, action: request.action),
                causers: above?.causers ?? [],
                depth: (above?.depth ?? 0) + 1,
                isQuiet: above?.isQuiet ?? false
            ),
            waiter: request.order.waits ? request.outer : nil
        )
    }
}

extension RequestKey {
    /// The request key of a run that a monitor or an event requested; the request's id is the run's id.
    static func worker(_ run: Name) -> RequestKey { worker(run.text) }

    /// The request key of the run that an attempt at an action requests; the same attempt always has the same key.
    ///
    /// So an action that executes again after a crash finds the run that it requested before.
    static func worker(_ request: RequestByRun) -> RequestKey {
        worker("\(request.outer)/\(request.attempt)/\(request.action)")
    }

    /// The key of the principal `worker` with `text` as its id, or with the digest of a text that cannot be an id.
    private static func worker(_ text: String) -> RequestKey {
        let id = (try? RequestID(text)) ?? (try? RequestID(Fingerprint(of: [text]).hexadecimal))
        guard let id else { fatalError("Internal error: a digest is no request id.") }
        return RequestKey(principal: AccessPolicy.workerName.text, id: id)
    }
}

import ForgeBusProtocol

/// The part of a notification that a cycle's causes keep.
struct Notice {
    let topic: Name
    let publisher: String
    /// The sender's principal; nil if the worker has no keys, because a label does not prove who the sender is.
    let principal: String?
    let traceID: String?
    /// The beginning of the body.
    let body: [UInt8]
    let bodySizeInBytes: Int
    let unixMilliseconds: Int64

    init(
        _ topic: Name,
        by publisher: String,
        principal: String? = nil,
        traceparent: String? = nil,
        body: [UInt8] = [],
        at unixMilliseconds: Int64
    ) {
        self.topic = topic
        self.publisher = publisher
        self.principal = principal
        self.traceID = traceparent.flatMap(TraceContext.traceID)
        // A short body is shared with the request, not copied.
        let limit = MonitorCauses.Cause.maximumBodySizeInBytes
        self.body = body.count > limit ? Array(body[..<limit]) : body
        self.bodySizeInBytes = body.count
        self.unixMilliseconds = unixMilliseconds
    }

    /// Makes the notice of a notification that `principal` sent and that came at `now`.
    init(_ topic: Name, by principal: AccessPolicy.Principal, traceparent: String?, body: [UInt8], at now: Moment) {
        self.init(
            topic,
            by: principal.ledgerName,
            principal: principal.provenName,
            traceparent: traceparent,
            body: body,
            at: now.unixMilliseconds
        )
    }
}

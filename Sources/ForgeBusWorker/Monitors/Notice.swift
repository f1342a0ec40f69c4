import ForgeBusProtocol

/// What a cycle's causes keep of one notification.
struct Notice {
    let topic: Topic
    let publisher: String
    let traceID: String?
    /// The beginning of the body.
    let body: [UInt8]
    let bodySizeInBytes: Int
    let unixMilliseconds: Int64

    init(
        _ topic: Topic,
        by publisher: String,
        traceparent: String? = nil,
        body: [UInt8] = [],
        at unixMilliseconds: Int64
    ) {
        self.topic = topic
        self.publisher = publisher
        self.traceID = traceparent.flatMap(Self.traceID)
        // A short body is shared with the request, not copied.
        let limit = MonitorCauses.Cause.maximumBodySizeInBytes
        self.body = body.count > limit ? Array(body[..<limit]) : body
        self.bodySizeInBytes = body.count
        self.unixMilliseconds = unixMilliseconds
    }

    /// The trace id of a W3C trace context, `00-`, 32 hexadecimal digits, `-` …; nil of anything else.
    private static func traceID(_ traceparent: String) -> String? {
        let parts = traceparent.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].count == 2, parts[1].count == 32, parts[1].allSatisfy(isHexadecimal),
            parts[1].contains(where: { $0 != UInt8(ascii: "0") })
        else { return nil }
        return String(parts[1])
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}

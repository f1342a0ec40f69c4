/// The pause of a pipeline or a monitor, as a worker describes it in the member `paused` of an item.
public struct PauseItem: Hashable, Sendable {
    /// The principal that paused the pipeline or monitor; nil for a reader that may not know it.
    ///
    /// On a worker without keys, it is `local`, or `local/LABEL` with the label of the client.
    public var principal: String?
    /// The principal that sent the request for ``principal``; nil if it sent the request itself.
    public var via: String?
    /// When the pause began, in milliseconds since 1970, by the worker's clock.
    public var sinceUnixMilliseconds: Int64
    /// When the pause ends by itself, in milliseconds since 1970, by the worker's clock; nil if the pause lasts until a
    /// RESUME.
    public var untilUnixMilliseconds: Int64?
    /// The reason for the pause; nil if the pause has no reason, or for a reader that may not know it.
    public var reason: String?

    /// Makes the description of a pause.
    public init(
        by principal: String?,
        via: String? = nil,
        since: Int64,
        until: Int64? = nil,
        reason: String? = nil
    ) {
        self.principal = principal
        self.via = via
        sinceUnixMilliseconds = since
        untilUnixMilliseconds = until
        self.reason = reason
    }
}

// JSON.
extension PauseItem {
    /// Reads the member `paused` of an item.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if a time is missing or has a wrong type.
    public init(_ value: JSONValue) throws(BusError) {
        let fields = try AnswerFields(value, of: "the pause of an item")
        principal = fields.object["by"]?.string
        via = fields.object["via"]?.string
        sinceUnixMilliseconds = try fields.integer("since_ms")
        untilUnixMilliseconds = fields.object["until_ms"] == nil ? nil : try fields.integer("until_ms")
        reason = fields.object["reason"]?.string
    }

    /// The member `paused` of an item.
    public var json: JSONObject {
        var json: JSONObject = [:]
        json["by"] = principal.map { .string($0) }
        json["since_ms"] = .integer(sinceUnixMilliseconds)
        json["via"] = via.map { .string($0) }
        json["until_ms"] = untilUnixMilliseconds.map { .integer($0) }
        json["reason"] = reason.map { .string($0) }
        return json
    }
}

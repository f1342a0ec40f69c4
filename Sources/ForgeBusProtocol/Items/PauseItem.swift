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

/// The members of a ``PauseItem``.
package struct PauseMembers: ItemMembers {
    package static let all = DeclaredMembers(Self())

    let principal = Member<String>("by", "Who paused it.")
    let since = RequiredMember<Int64>("since_ms", "Since when, in milliseconds since 1970.")
    let via = Member<String>("via", "The principal that sent the request for the other.")
    let until = Member<Int64>("until_ms", "When the pause ends by itself.")
    let reason = Member<String>("reason", "Why.")
}

// JSON.
extension PauseItem {
    /// Reads the member `paused` of an item.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if a time is missing, or if a member has a wrong type.
    public init(_ value: JSONValue) throws(BusError) {
        let item = try Item<PauseMembers>(value.object ?? [:])
        self.init(by: item.principal, via: item.via, since: item.since, until: item.until, reason: item.reason)
    }

    /// The member `paused` of an item.
    public var json: JSONObject {
        var item = Item<PauseMembers>()
        (item.principal, item.since, item.via) = (principal, sinceUnixMilliseconds, via)
        (item.until, item.reason) = (untilUnixMilliseconds, reason)
        return item.json
    }
}

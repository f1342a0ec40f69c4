import ForgeBusProtocol

/// The pause of a pipeline or a monitor.
public struct HeldPause: Hashable, Sendable {
    /// The principal that paused the pipeline or monitor; nil if the worker did not name it.
    ///
    /// On a worker without keys, it is `local`, or `local/LABEL` with the label of the client.
    public let principal: String?
    /// When the pause began, in milliseconds since 1970, by the worker's clock; nil if the worker did not send it.
    public let sinceUnixMilliseconds: Int64?
    /// When the pause ends by itself, in milliseconds since 1970, by the worker's clock; nil if the pause lasts until a
    /// RESUME.
    public let untilUnixMilliseconds: Int64?
    /// The reason for the pause; nil if the pause has no reason or the worker did not send it.
    public let reason: String?

    /// Reads the member `paused` of an item; nil if the item has no such member.
    init?(of item: JSONObject) {
        guard let json = item["paused"]?.object else { return nil }
        principal = json["by"]?.string
        sinceUnixMilliseconds = json["since_ms"]?.integer
        untilUnixMilliseconds = json["until_ms"]?.integer
        reason = json["reason"]?.string
    }
}

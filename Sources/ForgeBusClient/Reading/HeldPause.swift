import ForgeBusProtocol

/// The pause of a pipeline or a monitor.
public struct HeldPause: Hashable, Sendable {
    /// The principal that paused it, from a worker without keys `local` or `local/LABEL`; nil if the worker did not say.
    public let principal: String?
    /// When it was paused, in milliseconds since 1970, by the worker's clock; nil if the worker did not say.
    public let sinceUnixMilliseconds: Int64?
    /// When the pause ends by itself, in milliseconds since 1970; nil if it lasts until somebody resumes it.
    public let untilUnixMilliseconds: Int64?
    /// Why it was paused; nil if nobody said.
    public let reason: String?

    /// Reads the member `paused` of an item; nil if there is none.
    init?(of item: JSONObject) {
        guard let json = item["paused"]?.object else { return nil }
        principal = json["by"]?.string
        sinceUnixMilliseconds = json["since_ms"]?.integer
        untilUnixMilliseconds = json["until_ms"]?.integer
        reason = json["reason"]?.string
    }
}

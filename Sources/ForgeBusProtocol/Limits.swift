/// The limits of protocol version 1 on the wire, for every sender.
public enum WireLimits {
    /// The most bytes of the attributes frame.
    public static let attributesSizeInBytes = 64 * 1024
    /// The most bytes of `source` and `traceparent`, which every command takes.
    package static let commonAttributeSizeInBytes = 128
    /// The most bytes of a completion's value or a rejection's reason.
    public static let decisionSizeInBytes = 64 * 1024
    /// The most bytes of one frame; larger ones close the connection.
    public static let frameSizeInBytes = 1024 * 1024
    /// How deep arrays and objects may nest.
    public static let jsonDepth = 64
    /// The most bytes of the body of a PING.
    public static let pingSizeInBytes = 4096
    /// The most bytes of a reason in an answer; a longer one is cut.
    public static let reasonSizeInBytes = 4096
    /// The same for the reason of each action in a RESULT.
    public static let actionReasonSizeInBytes = 1024
    /// How many combining marks may follow one another in a string of JSON.
    public static let combiningMarks = 30
    /// How many keys all objects of one frame may have together.
    public static let jsonKeys = 4096
    /// The most items on one page.
    public static let pageSize = 500
    /// The longest an early completion may be kept: 7 days.
    public static let keep: Duration = .seconds(7 * 24 * 3600)
    /// How long an early completion is kept by default: 24 hours.
    public static let defaultKeep: Duration = .seconds(24 * 3600)
    /// The most events one WATCH may ask for.
    public static let credit = 10_000
    /// The longest time for which MODE may set a screen: 7 days.
    public static let timeToLive: Duration = .seconds(7 * 24 * 3600)
    /// The most bytes of a screen's name.
    public static let screenSizeInBytes = 256
    /// The longest duration of an attribute: 365 days.
    public static let duration: Duration = .seconds(365 * 24 * 3600)

    /// The limits by their names in WELCOME, times in milliseconds.
    public static let byName: [String: Int] = [
        "attributes_bytes": attributesSizeInBytes,
        "decision_bytes": decisionSizeInBytes,
        "frame_bytes": frameSizeInBytes,
        "id_bytes": RequestID.maximumSizeInBytes,
        "name_bytes": Name.maximumSizeInBytes,
        "json_depth": jsonDepth,
        "json_keys": jsonKeys,
        "page": pageSize,
        "ping_bytes": pingSizeInBytes,
        "credit": credit,
        "screen_bytes": screenSizeInBytes,
        "keep_ms": Int(keep.milliseconds),
        "ttl_ms": Int(timeToLive.milliseconds),
        "duration_ms": Int(duration.milliseconds),
    ]
}

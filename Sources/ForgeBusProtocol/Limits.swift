/// The limits that protocol version 1 sets for the messages of every sender.
public enum WireLimits {
    /// The maximum size of the attributes frame, in bytes.
    public static let attributesSizeInBytes = 64 * 1024
    /// The maximum size of each of the attributes `source` and `traceparent`, in bytes; every command accepts both.
    package static let commonAttributeSizeInBytes = 128
    /// The maximum size of the body of COMPLETE, REJECT or CANCEL, in bytes: the value or the reason, as JSON.
    public static let decisionSizeInBytes = 64 * 1024
    /// The maximum size of one frame, in bytes; a larger frame closes the connection.
    public static let frameSizeInBytes = 1024 * 1024
    /// The maximum number of levels of nested arrays and objects in JSON.
    public static let jsonDepth = 64
    /// The maximum size of the body of a PING, in bytes.
    public static let pingSizeInBytes = 4096
    /// The maximum size of a reason in an answer, in bytes; a longer reason is cut.
    public static let reasonSizeInBytes = 4096
    /// The maximum size of each action's reason in an answer, in bytes; a longer reason is cut.
    public static let actionReasonSizeInBytes = 1024
    /// The maximum number of combining marks in a row in a JSON string.
    public static let combiningMarks = 30
    /// The maximum number of keys that all JSON objects of one frame may have together.
    public static let jsonKeys = 4096
    /// The maximum number of items on one page.
    public static let pageSize = 500
    /// The longest time for which a worker keeps an early decision: 7 days.
    public static let keep: Duration = .seconds(7 * 24 * 3600)
    /// How long a worker keeps an early approval whose sender gave no time: 24 hours.
    ///
    /// This default is only for ids that no gate of the worker's pipelines can have: without a time, a worker keeps no
    /// early decision on a gate.
    public static let defaultKeep: Duration = .seconds(24 * 3600)
    /// The maximum number of events that one WATCH may request.
    public static let credit = 10_000
    /// The longest time for which MODE may set a screen, or after which a pause may end by itself: 7 days.
    public static let timeToLive: Duration = .seconds(7 * 24 * 3600)
    /// The maximum number of runs that one CANCEL or REDRIVE may change.
    public static let steeredRuns = 10_000
    /// The maximum size of a screen's name, in bytes.
    public static let screenSizeInBytes = 256
    /// The maximum size of the body of PAUSE, in bytes: the reason, as JSON.
    public static let pauseReasonSizeInBytes = 1024
    /// The longest duration that an attribute can give, unless the attribute has a lower limit: 365 days.
    public static let duration: Duration = .seconds(365 * 24 * 3600)

    /// The limits that WELCOME reports, by their names there; sizes are in bytes, and times are in milliseconds.
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
        "pause_bytes": pauseReasonSizeInBytes,
        "keep_ms": Int(keep.milliseconds),
        "ttl_ms": Int(timeToLive.milliseconds),
        "duration_ms": Int(duration.milliseconds),
    ]
}

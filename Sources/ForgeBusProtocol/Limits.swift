/// The bounds of protocol version 1 that hold on the wire, whoever speaks.
public enum WireLimits {
    /// The most bytes of the attributes frame.
    public static let attributesSizeInBytes = 64 * 1024
    /// The most bytes of a completion's value or a rejection's reason.
    public static let decisionSizeInBytes = 64 * 1024
    /// The most bytes of one frame; larger ones close the connection.
    public static let frameSizeInBytes = 1024 * 1024
    /// How deep arrays and objects may nest.
    public static let jsonDepth = 64
    /// How many keys all objects of one frame may have together.
    public static let jsonKeys = 4096
    /// The most items of one page.
    public static let pageSize = 500
    /// The longest an early completion may be kept: 7 days.
    public static let keep: Duration = .seconds(7 * 24 * 3600)
    /// How long an early completion is kept when its sender does not say: 24 hours.
    public static let defaultKeep: Duration = .seconds(24 * 3600)
    /// The longest duration an attribute may give: 365 days.
    public static let duration: Duration = .seconds(365 * 24 * 3600)
}

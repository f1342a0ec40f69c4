/// Tells monitors which screen is showing.
public struct ModeRequest: Hashable, Sendable {
    /// The monitors.
    public var monitors: NamePattern
    /// The screen, 1 to 256 bytes; nil if none is showing any more.
    public var screen: String?
    /// How long it lasts, 1 ms to 7 days; then no screen is showing.
    ///
    /// It has no default: a program that crashes must not exclude monitors for ever.
    public var timeToLive: Duration

    /// Tells `monitors` that `screen` is showing.
    public init(_ monitors: NamePattern, screen: String?, for timeToLive: Duration) {
        self.monitors = monitors
        self.screen = screen
        self.timeToLive = timeToLive
    }
}

extension ModeRequest: Verb {
    package static let words = ["MODE"]
    package static let attributes = ["ttl_ms"]
    package static let right: Right? = .mode
    package static let isLedgered = true

    package init(_ monitors: NamePattern, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        let time = try attributes.duration("ttl_ms", atLeast: 1, atMost: WireLimits.timeToLive)
        let timeToLive = try attributes.required("ttl_ms", time)
        self.init(monitors, screen: try Self.screen(in: body), for: timeToLive)
    }

    /// The screen of `{"screen": …}`, which has no default: a missing key is an error, null is not.
    private static func screen(in body: BodyReader) throws(BusError) -> String? {
        switch try body.object(of: "the screen")["screen"] {
        case .null?: return nil
        case .string(let name)? where (1...WireLimits.screenSizeInBytes).contains(name.utf8.count): return name
        case .string?, .bool?, .integer?, .number?, .array?, .object?, nil:
            throw BusError(
                .badBody,
                "The body of MODE has no `screen` that is null or a string of 1 to 256 bytes.",
                next: "Send {\"screen\":\"NAME\"}, or {\"screen\":null} for none."
            )
        }
    }

    package var command: Request.Command { .mode(self) }
    package var subject: NamePattern { monitors }
    package var body: [UInt8] { JSONValue.object(["screen": screen.map { .string($0) } ?? .null]).encoded }
    package var content: VerbContent? { VerbContent(time: timeToLive) }

    package func write(to attributes: inout JSONObject) { attributes["ttl_ms"] = timeToLive.json }
}

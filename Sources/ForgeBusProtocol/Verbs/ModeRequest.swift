/// A request that tells monitors which screen is showing.
public struct ModeRequest: Hashable, Sendable {
    /// The pattern that the names of the monitors match.
    public var monitors: NamePattern
    /// The screen's name, 1 to 256 bytes; nil if no screen is showing any more.
    public var screen: String?
    /// How long the screen counts as showing, 1 ms to 7 days; after that, no screen is showing.
    ///
    /// There is no default, because a program that crashes must not exclude monitors for ever.
    public var timeToLive: Duration

    /// Makes a request that tells `monitors` that `screen` is showing.
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

    /// The screen in the body `{"screen": …}`; a missing key is an error, null is not.
    private static func screen(in body: BodyReader) throws(BusError) -> String? {
        let given = try body.object(of: "the key `screen`")["screen"]
        switch given {
        case .null?: return nil
        case .string(let name)? where (1...WireLimits.screenSizeInBytes).contains(name.utf8.count): return name
        case .string?, .bool?, .integer?, .number?, .array?, .object?, nil:
            throw Errors.badScreen(given)
        }
    }

    package var command: Request.Command { .mode(self) }
    package var subject: NamePattern { monitors }
    package var body: [UInt8] { JSONValue.object(["screen": screen.map { .string($0) } ?? .null]).encoded }
    package var content: VerbContent? { VerbContent(time: timeToLive) }

    package func write(to attributes: inout JSONObject) { attributes["ttl_ms"] = timeToLive.json }
}

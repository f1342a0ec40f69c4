/// A request to pause a pipeline or a monitor, or to resume it.
///
/// While a pipeline is paused, its runs get no slot: executing actions continue, new runs are accepted and queued, and
/// gates can be decided. While a monitor is paused, it begins no cycle; a notification that comes meanwhile is
/// evaluated after the pause.
public struct PauseRequest: Hashable, Sendable {
    /// What to pause or resume.
    public var subject: PauseSubject
    /// Whether to pause or to resume the subject.
    public var change: Change

    /// What the request changes.
    public enum Change: Hashable, Sendable {
        /// PAUSE: the pause ends by itself after this time, 1 ms to 7 days.
        ///
        /// With nil, which is only for pipelines, the pause lasts until somebody resumes the pipeline. The reason is
        /// for people, and may be empty; the worker shows the reason to everybody who may read the subject.
        case pause(for: Duration?, reason: String)
        /// RESUME: the pause ends now.
        case resume

        /// Compares reasons byte by byte.
        public static func == (a: Change, b: Change) -> Bool {
            switch (a, b) {
            case (.pause(let a, let reason), .pause(let b, let other)): a == b && reason.utf8.elementsEqual(other.utf8)
            case (.resume, .resume): true
            case (.pause, .resume), (.resume, .pause): false
            }
        }
    }

    /// Makes a request that changes `subject`.
    public init(_ subject: PauseSubject, _ change: Change) {
        self.subject = subject
        self.change = change
    }
}

/// The command PAUSE pauses, and the command RESUME resumes.
extension PauseRequest: Verb {
    package static let words = ["PAUSE", "RESUME"]
    package static let attributes = ["ttl_ms"]
    package static let right: Right? = .mode
    package static let isLedgered = true

    package init(_ subject: PauseSubject, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        let time = try attributes.duration("ttl_ms", atLeast: 1, atMost: WireLimits.timeToLive)
        guard subject.kind == .pipeline || time != nil else {
            throw Errors.endlessPauseOfMonitor
        }
        self.init(subject, .pause(for: time, reason: try body.reason(atMost: WireLimits.pauseReasonSizeInBytes)))
    }

    /// Reads the frames; RESUME has no attributes of its own, and its body is ignored.
    package static func read(_ frames: Frames, as word: String) throws(BusError) -> (Request.Command, AttributeReader) {
        guard word == "RESUME" else { return try readFrames(frames, as: word) }
        let subject = try PauseSubject(bytes: frames.subject)
        let attributes = try AttributeReader(frames.attributes, of: word, taking: [])
        return (PauseRequest(subject, .resume).command, attributes)
    }

    package var command: Request.Command { .pause(self) }
    package var word: String { isPause ? "PAUSE" : "RESUME" }
    /// The name that a grant must cover, such as `pipeline.feed`: a grant on monitors does not cover pipelines of the
    /// same name.
    package var target: String? { subject.target }
    package var content: VerbContent? { VerbContent(time: time) }

    package var body: [UInt8] { if case .pause(_, let reason) = change { reason.reasonBody } else { [] } }

    package func write(to attributes: inout JSONObject) { attributes["ttl_ms"] = time?.json }

    private var isPause: Bool { change != .resume }

    private var time: Duration? { if case .pause(let time, _) = change { time } else { nil } }
}

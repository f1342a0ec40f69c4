/// An event that matches the pattern of a watch.
public struct BusEvent: Hashable, Sendable {
    /// The subject of the event.
    public var subject: EventSubject
    /// The number of the event in its watch, from 1; lost events have numbers, too.
    public var sequence: Int
    /// How many events were lost between the previous event and this one.
    public var lost: Int
    /// The event's details: a state, names, ids and numbers, and for a failing monitor the reason, but never the
    /// content of a message.
    public var body: JSONObject

    /// Makes an event on `subject`.
    public init(_ subject: EventSubject, sequence: Int, lost: Int = 0, body: JSONObject) {
        self.subject = subject
        self.sequence = sequence
        self.lost = lost
        self.body = body
    }
}

/// The subject of an event: tokens joined by dots, at most 520 bytes.
///
/// Patterns can match a subject. A subject may be longer than a name, because a subject contains one or two names.
public struct EventSubject: Hashable, Sendable, CustomStringConvertible {
    /// The subject's text on the wire.
    public let text: String

    /// The maximum size of a subject, in bytes.
    public static let maximumSizeInBytes = 520

    /// The subject of a pipeline's run, for instance `run.feed.feed-7`.
    public static func run(_ run: Name, of pipeline: Name) -> EventSubject {
        EventSubject(unchecked: "run.\(pipeline).\(run)")
    }

    /// The subject of the signal or gate that waits under `id`, for instance `signal.deploy.42.approve`.
    public static func signal(_ id: Name) -> EventSubject { EventSubject(unchecked: "signal.\(id)") }

    /// The subject of the monitor with the name `name`, for instance `monitor.stock`.
    public static func monitor(_ name: Name) -> EventSubject { EventSubject(unchecked: "monitor.\(name)") }

    /// Makes a subject from the bytes of a frame.
    ///
    /// - Throws: ``BusError`` with code `bad_name`; the message says which rule the text breaks.
    public init(bytes: ArraySlice<UInt8>) throws(BusError) {
        let text = String(decoding: bytes, as: UTF8.self)
        if let flaw = Name.flaw(in: bytes, atMost: Self.maximumSizeInBytes) {
            throw Errors.noEventSubject(text, flaw)
        }
        self.text = text
    }

    /// The subject's text on the wire.
    public var description: String { text }

    private init(unchecked text: String) { self.text = text }
}

/// The five frames of every message of the bus.
///
/// Each frame is a slice: if the whole message is in one buffer, a reader does not have to copy the frames.
public struct Frames: Hashable, Sendable {
    /// Frame 0, in ASCII: the protocol version and the command's word, for instance `FORGE/1 RUN`.
    public var command: ArraySlice<UInt8>
    /// Frame 1: the sender's id for the request; answers repeat the id.
    ///
    /// The id has 1 to 128 bytes, each from 0x21 to 0x7E. In an answer to a request without a readable id, the frame is
    /// empty.
    public var id: ArraySlice<UInt8>
    /// Frame 2: the subject, for instance a topic, a pipeline or a pattern; in answers, for instance the id of a run.
    ///
    /// The frame is empty if the command or answer has no subject.
    public var subject: ArraySlice<UInt8>
    /// Frame 3: the attributes, either empty or one JSON object.
    public var attributes: ArraySlice<UInt8>
    /// Frame 4: the body, either empty or JSON; in NOTIFY, PING and PONG, any bytes.
    public var body: ArraySlice<UInt8>

    /// The number of frames of a message.
    public static let count = 5

    /// Makes a message from its five frames.
    public init(
        command: ArraySlice<UInt8>,
        id: ArraySlice<UInt8> = [],
        subject: ArraySlice<UInt8> = [],
        attributes: ArraySlice<UInt8> = [],
        body: ArraySlice<UInt8> = []
    ) {
        self.command = command
        self.id = id
        self.subject = subject
        self.attributes = attributes
        self.body = body
    }

    /// Makes the frames of a received message; `count` is their number, and `frame` returns the frame at an index.
    ///
    /// - Returns: The frames; nil unless `count` is five.
    @inlinable package init?(count: Int, frame: (Int) -> ArraySlice<UInt8>) {
        guard count == Frames.count else { return nil }
        self.init(command: frame(0), id: frame(1), subject: frame(2), attributes: frame(3), body: frame(4))
    }

    /// The frames in wire order.
    public var all: [ArraySlice<UInt8>] { [command, id, subject, attributes, body] }
}

/// A buffer that contains the frames of one message, one after another.
///
/// The next message reuses the buffer's memory.
public struct FrameBuffer: Sendable {
    /// The bytes of all frames.
    public private(set) var bytes: [UInt8] = []
    /// The offsets in ``bytes`` at which the frames end.
    package private(set) var ends: [Int] = []

    /// Makes a buffer without frames.
    public init() {}

    /// The number of finished frames.
    public var count: Int { ends.count }

    /// The range of frame `index` in ``bytes``.
    public func range(ofFrame index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    /// A copy of the five frames of a request or answer; the buffer must already contain all five.
    public var frames: Frames {
        Frames(
            command: bytes[range(ofFrame: 0)],
            id: bytes[range(ofFrame: 1)],
            subject: bytes[range(ofFrame: 2)],
            attributes: bytes[range(ofFrame: 3)],
            body: bytes[range(ofFrame: 4)]
        )
    }

    /// Removes all frames and keeps the capacity.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
    }

    mutating func endFrame() { ends.append(bytes.count) }

    /// Appends frame 0: the version, then the word.
    mutating func append(command word: String) {
        append(CommandFrame.versionPrefix)
        append(frame: word)
    }

    mutating func append(frame text: String) {
        append(text)
        endFrame()
    }

    private mutating func append(_ text: String) {
        let isTaken: Void? = text.utf8.withContiguousStorageIfAvailable { bytes.append(contentsOf: $0) }
        if isTaken == nil { bytes.append(contentsOf: text.utf8) }
    }

    mutating func append(frame content: some Collection<UInt8>) {
        bytes.append(contentsOf: content)
        endFrame()
    }

    /// Appends a frame that `write` fills with JSON.
    mutating func appendFrame(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(into: bytes)
        bytes = []
        write(&writer)
        bytes = writer.bytes
        endFrame()
    }
}

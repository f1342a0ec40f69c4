/// A whole multipart message, sent and received as one piece or not at all.
///
/// All frames share one block of bytes, and the ends of the first eight are kept inside the value, so a message of up
/// to eight frames costs one allocation. Copies share the block until one of them is changed.
public struct Message: Equatable, Sendable {
    /// The bytes of all frames, one after the other.
    @usableFromInline var storage: [UInt8]

    /// Where the frames end in `storage`.
    @usableFromInline var ends: FrameEnds

    /// The sender's key on an authenticated connection; all messages of a key share it.
    var sender: SenderKey?

    /// A message without frames, to be filled by `append`.
    public init() {
        self.init(storage: [], ends: FrameEnds())
    }

    /// A message of the given frames.
    ///
    /// - Parameter frames: The frames in order; an empty array is an empty frame.
    public init(_ frames: [[UInt8]]) {
        self.init()
        reserveCapacity(frames.reduce(0) { $0 + $1.count })
        for frame in frames { append(frame) }
    }

    /// A message from frames that lie one after another.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of all frames; they are copied, so that the array can be reused.
    ///   - frameEnds: Where each frame ends in `bytes`, in order; the last one is the end of `bytes`.
    package init(_ bytes: [UInt8], frameEnds: [Int]) {
        guard UInt32(exactly: bytes.count) != nil else { Self.isTooLarge() }
        var ends = FrameEnds()
        for end in frameEnds { ends.append(UInt32(end)) }
        // Copied at its exact size, because the caller's array keeps its spare capacity.
        let storage = [UInt8](unsafeUninitializedCapacity: bytes.count) { copy, count in
            count = copy.initialize(fromContentsOf: bytes)
        }
        self.init(storage: storage, ends: ends)
    }

    init(storage: [UInt8], ends: FrameEnds) {
        self.storage = storage
        self.ends = ends
    }

    /// How many frames the message has.
    @inlinable public var count: Int { ends.count }

    /// The bytes of all frames together, without the protocol's overhead on the wire.
    @inlinable public var sizeInBytes: Int { storage.count }

    /// The key that the sender has proved to hold, for a message received by a ``CurveServer``; otherwise nil.
    ///
    /// It is not part of the content: two messages with the same frames are equal.
    public var senderKey: PublicKey? { sender?.key }

    /// Whether two messages have the same frames.
    ///
    /// - Parameters:
    ///   - left: A message.
    ///   - right: Another one.
    /// - Returns: Whether their frames are the same.
    public static func == (left: Message, right: Message) -> Bool {
        left.ends == right.ends && left.storage == right.storage
    }

    /// Reserves room, so that appending up to that many bytes allocates once.
    ///
    /// - Parameter bytes: The bytes of all frames together.
    public mutating func reserveCapacity(_ bytes: Int) {
        storage.reserveCapacity(bytes)
    }
}

// MARK: - Reading

extension Message {
    /// The frame at `index`, without copying it.
    ///
    /// The slice keeps the whole message's bytes alive; copy what you keep for long.
    ///
    /// - Parameter index: From 0 up to, but not including, ``count``.
    @inlinable public subscript(index: Int) -> ArraySlice<UInt8> {
        storage[range(of: index)]
    }

    /// Lends the bytes of one frame to a closure.
    ///
    /// - Parameters:
    ///   - index: From 0 up to, but not including, ``count``.
    ///   - body: Reads the bytes, which must not outlive the call.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    @inlinable public func withFrame<Value, Failure: Error>(
        at index: Int,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let range = range(of: index)
        // The array's own method does not pass a typed error on.
        let result = storage.withUnsafeBytes { bytes in
            Swift.Result { () throws(Failure) in try body(UnsafeRawBufferPointer(rebasing: bytes[range])) }
        }
        return try result.get()
    }

    @inlinable func range(of index: Int) -> Range<Int> {
        if index < 0 || index >= count { frameOutOfRange(index) }
        return (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    @usableFromInline @inline(never) func frameOutOfRange(_ index: Int) -> Never {
        fatalError("Frame \(index) was asked of a message of \(count) frames; check `count` first.")
    }
}

// MARK: - Writing

extension Message {
    /// Appends one frame.
    ///
    /// - Parameter bytes: The frame; it may be empty.
    @inlinable public mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Appends one frame.
    ///
    /// - Parameter bytes: The frame; it may be empty.
    @inlinable public mutating func append(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { append($0) }
    }

    /// Appends the UTF-8 of a text as one frame.
    ///
    /// - Parameter text: The frame's text; it may be empty.
    @inlinable public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends one frame.
    ///
    /// - Parameter bytes: The frame; it is copied before the call returns.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        // Bound to a known type, because only then the bytes are copied in one piece.
        bytes.withMemoryRebound(to: UInt8.self) { storage.append(contentsOf: $0) }
        endFrame()
    }

    /// Lends the bytes of one frame to a closure that changes them.
    ///
    /// The cheapest way to send almost the same message again, for instance with another id. The frame keeps its size.
    ///
    /// - Parameters:
    ///   - index: From 0 up to, but not including, ``count``.
    ///   - body: Changes the bytes, which must not outlive the call.
    @inlinable public mutating func withMutableFrame(at index: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
        let range = range(of: index)
        storage.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[range])) }
    }

    /// Makes one frame of the bytes appended since the last frame's end.
    private mutating func endFrame() {
        guard let end = UInt32(exactly: storage.count) else { Self.isTooLarge() }
        ends.append(end)
    }

    private static func isTooLarge() -> Never {
        fatalError("A message holds less than 4 GiB; send what is larger in several messages.")
    }
}

extension Message: CustomStringConvertible, CustomDebugStringConvertible {
    /// Counts, never content, so that no payload reaches a log by accident.
    public var description: String { "Message(\(count) frames, \(sizeInBytes) bytes)" }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

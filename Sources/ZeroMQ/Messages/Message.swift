/// A multipart message of one or more frames; a socket sends and receives the whole message or nothing.
///
/// All frames share one block of bytes, and the value itself stores the end positions of the first eight frames. So a
/// message of up to eight frames costs one allocation. Copies share the block until one of them is changed.
public struct Message: Equatable, Sendable {
    /// The bytes of all frames, one after the other.
    @usableFromInline var storage: [UInt8]

    /// The position in `storage` at which each frame ends.
    @usableFromInline var ends: FrameEnds

    /// The sender's key on an authenticated connection; messages with the same key normally share one object.
    var sender: SenderKey?

    /// The peer that sent the message; nil unless a ``Router`` received it.
    ///
    /// `==` does not compare the peer: two messages with the same frames are equal.
    public internal(set) var peer: PeerID?

    /// Makes a message without frames; add frames with `append` before sending the message.
    public init() {
        self.init(storage: [], ends: FrameEnds())
    }

    /// Makes a message of the given frames.
    ///
    /// - Parameter frames: The frames in order; an inner empty array is an empty frame.
    public init(_ frames: [[UInt8]]) {
        self.init()
        reserveCapacity(frames.reduce(0) { $0 + $1.count })
        for frame in frames { append(frame) }
    }

    /// Makes a message from one array that contains all frames.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of all frames, one frame after the other; they are copied, so the array can be reused.
    ///   - frameEnds: The position in `bytes` at which each frame ends, in order; the last one is the end of `bytes`.
    package init(_ bytes: [UInt8], frameEnds: [Int]) {
        guard UInt32(exactly: bytes.count) != nil else { Self.isTooLarge() }
        var ends = FrameEnds()
        for end in frameEnds { ends.append(UInt32(end)) }
        // The copy has exactly the needed size; the caller's array may have spare capacity.
        let storage = [UInt8](unsafeUninitializedCapacity: bytes.count) { copy, count in
            count = copy.initialize(fromContentsOf: bytes)
        }
        self.init(storage: storage, ends: ends)
    }

    init(storage: [UInt8], ends: FrameEnds) {
        self.storage = storage
        self.ends = ends
    }

    /// The number of frames in the message.
    @inlinable public var count: Int { ends.count }

    /// The number of bytes in all frames, without the protocol's overhead on the wire.
    @inlinable public var sizeInBytes: Int { storage.count }

    /// The key that the sender has proved to hold; nil unless a socket bound as a ``CurveServer`` received the message.
    ///
    /// `==` does not compare the key: two messages with the same frames are equal.
    public var senderKey: PublicKey? { sender?.key }

    /// Whether two messages have the same frames; their sender keys and peers are not compared.
    ///
    /// - Parameters:
    ///   - left: A message.
    ///   - right: Another message.
    /// - Returns: Whether the frames are the same.
    public static func == (left: Message, right: Message) -> Bool {
        left.ends == right.ends && left.storage == right.storage
    }

    /// Reserves memory, so that appending frames up to this total size needs no further allocation of their bytes.
    ///
    /// - Parameter bytes: The number of bytes of all frames together.
    public mutating func reserveCapacity(_ bytes: Int) {
        storage.reserveCapacity(bytes)
    }
}

// MARK: - Reading

extension Message {
    /// The bytes of the frame at `index`, as a slice that shares the message's memory.
    ///
    /// The slice keeps the bytes of the whole message in memory; copy a slice that you keep for a long time. An index
    /// outside the message ends the process.
    ///
    /// - Parameter index: From 0 up to, but not including, ``count``.
    @inlinable public subscript(index: Int) -> ArraySlice<UInt8> {
        storage[range(of: index)]
    }

    /// Calls a closure with the bytes of one frame.
    ///
    /// - Parameters:
    ///   - index: From 0 up to, but not including, ``count``; another index ends the process.
    ///   - body: Reads the bytes, which are valid only during the call.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    @inlinable public func withFrame<Value, Failure: Error>(
        at index: Int,
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let range = range(of: index)
        // `withUnsafeBytes` of an array does not rethrow a typed error.
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
        fatalError(
            "Frame \(index), counted from 0, was requested from a message whose `count` is \(count); check it first."
        )
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

    /// Appends the UTF-8 bytes of a text as one frame.
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
        // Swift copies the bytes in one piece only if the memory is bound to the array's element type.
        bytes.withMemoryRebound(to: UInt8.self) { storage.append(contentsOf: $0) }
        endFrame()
    }

    /// Calls a closure that changes the bytes of one frame in place; the frame keeps its size.
    ///
    /// This is the cheapest way to send almost the same message again, for instance with another id.
    ///
    /// - Parameters:
    ///   - index: From 0 up to, but not including, ``count``; another index ends the process.
    ///   - body: Changes the bytes, which are valid only during the call.
    @inlinable public mutating func withMutableFrame(at index: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
        let range = range(of: index)
        storage.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[range])) }
    }

    /// Makes one frame of the bytes appended since the end of the last frame.
    private mutating func endFrame() {
        guard let end = UInt32(exactly: storage.count) else { Self.isTooLarge() }
        ends.append(end)
    }

    private static func isTooLarge() -> Never {
        fatalError("A message must be smaller than 4 GiB; send larger data in several messages.")
    }
}

extension Message: CustomStringConvertible, CustomDebugStringConvertible {
    /// The number of frames and bytes, without the content, so that no payload reaches a log by accident.
    public var description: String { "Message(\(count) frames, \(sizeInBytes) bytes)" }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

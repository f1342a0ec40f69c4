extension Publication {
    /// The word of the only command that a process can publish.
    static let word = StateChange.words[0]
    /// The number of frames of a published message.
    public static let frameCount = 6

    /// Reads a published message from its six frames.
    ///
    /// - Throws: ``BusError`` with the code of the first flaw. The order of the checks is: number of frames, command,
    ///   topic, id, origin, attributes. Count and log the error: a publisher gets no answer.
    public init(decoding frames: [ArraySlice<UInt8>]) throws(BusError) {
        guard frames.count == Self.frameCount else {
            throw Errors.notPublication("It has \(frames.count) frames instead of 6.")
        }
        guard CommandFrame.isSigned(frames[1]) else {
            throw Errors.notPublication(Errors.unsigned("second", frames[1]))
        }
        guard try CommandFrame.word(of: frames[1]) == Self.word else {
            throw Errors.notPublished(frames[1])
        }
        let topic = try Self.topic(frames[0])
        let id = try RequestID(bytes: frames[2])
        let origin = try Origin(decoding: frames[3])
        let attributes = try AttributeReader(published: frames[4])
        self.init(
            topic: topic,
            id: id,
            origin: origin,
            body: Array(frames[5]),
            source: attributes.source,
            traceparent: attributes.traceparent
        )
    }

    /// Writes the message as six frames into `buffer`, and replaces the buffer's content.
    public func encode(into buffer: inout FrameBuffer) {
        buffer.removeAll()
        buffer.append(frame: topic.text + ".")
        buffer.append(command: Self.word)
        buffer.append(frame: id.text)
        buffer.append(frame: origin?.bytes ?? [])
        var attributes = JSONObject()
        attributes["source"] = source.map { .string($0) }
        attributes["traceparent"] = traceparent.map { .string($0) }
        if attributes.isEmpty { buffer.endFrame() } else { buffer.appendFrame { $0.write(attributes) } }
        buffer.append(frame: body)
    }

    /// The message as six frames.
    public var frames: [ArraySlice<UInt8>] {
        var buffer = FrameBuffer()
        encode(into: &buffer)
        return (0..<buffer.count).map { buffer.bytes[buffer.range(ofFrame: $0)] }
    }

    /// Reads the topic, which must end in a dot.
    ///
    /// Because of the dot, a subscription to `stock.` gets no messages about `stocks`.
    private static func topic(_ frame: ArraySlice<UInt8>) throws(BusError) -> Name {
        guard frame.last == UInt8(ascii: ".") else {
            throw Errors.noDot(frame)
        }
        return try Name(bytes: frame.dropLast())
    }
}

extension Publication.Origin {
    /// The epoch and the sequence number, eight bytes each, the most significant byte first.
    fileprivate var bytes: [UInt8] {
        [epoch, sequence].flatMap { number in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
        }
    }

    /// Reads the epoch and the sequence number; nil if the frame is empty.
    fileprivate init?(decoding frame: ArraySlice<UInt8>) throws(BusError) {
        guard !frame.isEmpty else { return nil }
        let sequence = Self.number(frame.suffix(8))
        guard frame.count == 16, sequence > 0 else {
            throw Errors.badOrigin(sizeInBytes: frame.count)
        }
        self.init(epoch: Self.number(frame.prefix(8)), sequence: sequence)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

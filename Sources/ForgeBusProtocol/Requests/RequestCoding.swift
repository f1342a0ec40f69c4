extension Request {
    /// Reads a request from its five frames.
    ///
    /// This initializer checks all frames, so that a malformed request has no effect.
    ///
    /// - Throws: ``BusError`` with the code of the first flaw. The order is: command, id, subject, attributes, body.
    public init(decoding frames: Frames) throws(BusError) {
        let word = try CommandFrame.word(of: frames.command)
        guard let verb = Command.verb(called: word) else { throw Errors.unknownCommand(frames.command) }
        let id = try RequestID(bytes: frames.id)
        let (command, attributes) = try verb.read(frames, as: word)
        self.init(
            command,
            id: id,
            source: attributes.source,
            traceparent: attributes.traceparent,
            as: try attributes.principal()
        )
    }

    /// Writes the request as five frames into `buffer`, and replaces the buffer's content.
    ///
    /// This method leaves out an attribute that has its default value, so that equal requests have equal bytes.
    public func encode(into buffer: inout FrameBuffer) {
        let verb: WrittenVerb = command.view()
        var attributes = verb.attributes
        attributes["source"] = source.map { .string($0) }
        attributes["traceparent"] = traceparent.map { .string($0) }
        attributes["as"] = principal.map { .string($0.text) }
        buffer.removeAll()
        buffer.append(command: verb.word)
        buffer.append(frame: id.text)
        buffer.append(frame: verb.subject)
        if attributes.isEmpty { buffer.endFrame() } else { buffer.appendFrame { $0.write(attributes) } }
        buffer.append(frame: verb.body)
    }

    /// The request as five frames.
    public var frames: Frames {
        var buffer = FrameBuffer()
        encode(into: &buffer)
        return buffer.frames
    }
}

extension Request.Command {
    /// The words of all verbs, in the order of `Protocol.md`.
    package static let words = verbs.flatMap { $0.words }

    private static let verbsByWord = verbs.flatMap { verb in verb.words.map { (word: $0, verb: verb) } }

    /// The verb that has this word; nil if no verb has it.
    ///
    /// The search is linear, because hashing the word for a dictionary would take longer.
    fileprivate static func verb(called word: String) -> (any Verb.Type)? {
        verbsByWord.first { $0.word == word }?.verb
    }
}

/// The contents that a verb gives to the frames of a request.
private struct WrittenVerb: VerbView {
    let word: String
    let subject: String
    let attributes: JSONObject
    let body: [UInt8]

    init(_ verb: some Verb) {
        word = verb.word
        subject = verb.subject.text
        var attributes = JSONObject()
        verb.write(to: &attributes)
        self.attributes = attributes
        body = verb.body
    }
}

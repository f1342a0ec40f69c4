extension Request {
    /// Reads a request from its five frames.
    ///
    /// Everything is checked before anything is returned: a request that is refused has no effect.
    ///
    /// - Throws: ``BusError`` with the code of the first flaw, in the order command, id, subject, attributes, body.
    public init(decoding frames: Frames) throws(BusError) {
        let text = try CommandFrame.word(of: frames.command)
        guard let word = RequestWord(rawValue: text) else { throw CommandFrame.unknown(frames.command) }
        let id = try RequestID(bytes: frames.id)
        let command: Command
        let attributes: AttributeReader
        switch word {
        case .notify: (command, attributes) = try Self.notify(frames)
        case .run: (command, attributes) = try Self.run(frames)
        case .attach: (command, attributes) = try Self.attach(frames)
        case .cancel: (command, attributes) = try Self.cancel(frames)
        case .redrive: (command, attributes) = try Self.redrive(frames)
        case .complete, .reject: (command, attributes) = try Self.decide(word, frames)
        case .show: (command, attributes) = try Self.show(frames)
        case .list: (command, attributes) = try Self.list(frames)
        case .watch: (command, attributes) = try Self.watch(frames)
        case .mode: (command, attributes) = try Self.mode(frames)
        case .admin: (command, attributes) = try Self.admin(frames)
        case .hello: (command, attributes) = (.hello, try AttributeReader(frames.attributes, of: word))
        case .unwatch: (command, attributes) = (.unwatch, try AttributeReader(frames.attributes, of: word))
        case .ping:
            attributes = try AttributeReader(frames.attributes, of: word)
            guard frames.body.count <= WireLimits.pingSizeInBytes else {
                throw .tooLarge("The body has \(frames.body.count) bytes", limit: WireLimits.pingSizeInBytes)
            }
            command = .ping(Array(frames.body))
        }
        self.init(
            command,
            id: id,
            source: attributes.source,
            traceparent: attributes.traceparent
        )
    }

    private enum EvaluationReply: String, CaseIterable { case accepted, evaluated }
    private enum RunReply: String, CaseIterable { case accepted, result }

    private static func notify(_ frames: Frames) throws(BusError) -> (Command, AttributeReader) {
        let topic = try Topic(bytes: frames.subject)
        let attributes = try AttributeReader(frames.attributes, of: .notify)
        let reply: EvaluationReply? = try attributes.choice("reply")
        let notification = StateChange(
            topic: topic,
            body: Array(frames.body),
            wantsEvaluation: reply == .evaluated,
            deadline: try attributes.duration("deadline_ms", atLeast: 1),
            durability: try attributes.choice("durability")
        )
        return (.notify(notification), attributes)
    }

    private static func run(_ frames: Frames) throws(BusError) -> (Command, AttributeReader) {
        let pipeline = try PipelineName(bytes: frames.subject)
        let attributes = try AttributeReader(frames.attributes, of: .run)
        let reply: RunReply? = try attributes.choice("reply")
        var request = RunRequest(
            pipeline: pipeline,
            isDetached: reply == .accepted,
            wantsProgress: try attributes.flag("progress"),
            deadline: try attributes.duration("deadline_ms", atLeast: 1),
            durability: try attributes.choice("durability")
        )
        request.seeds = try object(in: frames.body, of: .run, as: "the seeds")
        return (.run(request), attributes)
    }

    private static func decide(_ word: RequestWord, _ frames: Frames) throws(BusError) -> (Command, AttributeReader) {
        let signal = try SignalID(bytes: frames.subject)
        let attributes = try AttributeReader(frames.attributes, of: word)
        let keep = try attributes.duration("keep_ms", atLeast: 0, atMost: WireLimits.keep)
        let durability: Durability? = try attributes.choice("durability")
        let outcome = word == .reject ? try rejection(frames.body) : try approval(frames.body)
        let keptFor = keep ?? WireLimits.defaultKeep
        return (.decide(Decision(signal: signal, outcome: outcome, keep: keptFor, durability: durability)), attributes)
    }

    private static func approval(_ body: ArraySlice<UInt8>) throws(BusError) -> Decision.Outcome {
        try checkSize(ofDecision: body)
        if !body.isEmpty { _ = try JSONValue(parsing: body) }
        return .approved(value: Array(body))
    }

    private static func rejection(_ body: ArraySlice<UInt8>) throws(BusError) -> Decision.Outcome {
        .rejected(reason: try reason(in: body, of: .reject))
    }
}

/// Bodies that more than one command takes.
extension Request {
    /// An object, or none.
    static func object(in body: ArraySlice<UInt8>, of word: RequestWord, as content: String) throws(BusError)
        -> JSONObject
    {
        guard !body.isEmpty else { return JSONObject() }
        guard case .object(let object) = try JSONValue(parsing: body) else {
            throw BusError(
                .badBody,
                "The body of \(word.rawValue) is no JSON object.",
                next: "Send \(content) as one JSON object, or an empty frame for none."
            )
        }
        return object
    }

    /// A reason, or none.
    static func reason(in body: ArraySlice<UInt8>, of word: RequestWord) throws(BusError) -> String {
        try checkSize(ofDecision: body)
        guard !body.isEmpty else { return "" }
        guard case .string(let reason) = try JSONValue(parsing: body) else {
            throw BusError(
                .badBody,
                "The body of \(word.rawValue) is no JSON string.",
                next: "Send the reason as a JSON string, or an empty frame for none."
            )
        }
        return reason
    }

    private static func checkSize(ofDecision body: ArraySlice<UInt8>) throws(BusError) {
        guard body.count <= WireLimits.decisionSizeInBytes else {
            throw .tooLarge("The body has \(body.count) bytes", limit: WireLimits.decisionSizeInBytes)
        }
    }
}

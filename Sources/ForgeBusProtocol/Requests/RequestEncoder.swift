extension Request {
    /// Writes the request as five frames into `buffer`, replacing what it held.
    ///
    /// An attribute that has its default value is left out, so that equal requests are equal bytes.
    public func encode(into buffer: inout FrameBuffer) {
        buffer.removeAll()
        buffer.append(frame: word.frame)
        buffer.append(frame: id.text)
        buffer.append(frame: subject)
        let attributes = self.attributes
        if attributes.isEmpty { buffer.endFrame() } else { buffer.appendFrame { $0.write(attributes) } }
        buffer.append(frame: body)
    }

    /// The request as five frames.
    public var frames: Frames {
        var buffer = FrameBuffer()
        encode(into: &buffer)
        return buffer.frames
    }

    private var word: RequestWord {
        switch command {
        case .notify: .notify
        case .run: .run
        case .decide(let decision):
            switch decision.outcome {
            case .approved: .complete
            case .rejected: .reject
            }
        case .list: .list
        case .ping: .ping
        }
    }

    private var subject: String {
        switch command {
        case .notify(let notification): notification.topic.text
        case .run(let request): request.pipeline.text
        case .decide(let decision): decision.signal.text
        case .list(let request): request.kind.rawValue
        case .ping: ""
        }
    }

    private var attributes: JSONObject {
        var attributes = JSONObject()
        switch command {
        case .notify(let notification):
            if notification.wantsEvaluation { attributes["reply"] = "evaluated" }
            attributes["deadline_ms"] = notification.deadline.map { .integer($0.milliseconds) }
            attributes["durability"] = notification.durability.map { .string($0.rawValue) }
        case .run(let request):
            if request.isDetached { attributes["reply"] = "accepted" }
            attributes["deadline_ms"] = request.deadline.map { .integer($0.milliseconds) }
            attributes["durability"] = request.durability.map { .string($0.rawValue) }
            if request.wantsProgress { attributes["progress"] = true }
        case .decide(let decision):
            if decision.keep != WireLimits.defaultKeep { attributes["keep_ms"] = .integer(decision.keep.milliseconds) }
            attributes["durability"] = decision.durability.map { .string($0.rawValue) }
        case .list(let request):
            if request.limit != 100 { attributes["limit"] = .integer(Int64(request.limit)) }
            attributes["cursor"] = request.cursor.map { .string($0) }
        case .ping: break
        }
        attributes["source"] = source.map { .string($0) }
        attributes["traceparent"] = traceparent.map { .string($0) }
        return attributes
    }

    private var body: [UInt8] {
        switch command {
        case .notify(let notification): notification.body
        case .run(let request): request.seeds.isEmpty ? [] : JSONValue.object(request.seeds).encoded
        case .decide(let decision):
            switch decision.outcome {
            case .approved(let value): value
            case .rejected(let reason): reason.isEmpty ? [] : JSONValue.string(reason).encoded
            }
        case .list: []
        case .ping(let body): body
        }
    }
}

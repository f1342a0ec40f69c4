extension Request {
    /// Writes the request as five frames into `buffer`, replacing what it held.
    ///
    /// An attribute that has its default value is left out, so that equal requests are equal bytes.
    public func encode(into buffer: inout FrameBuffer) {
        buffer.removeAll()
        buffer.append(command: word.rawValue)
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
        case .hello: .hello
        case .notify: .notify
        case .run: .run
        case .attach: .attach
        case .cancel: .cancel
        case .redrive: .redrive
        case .decide(let decision):
            switch decision.outcome {
            case .approved: .complete
            case .rejected: .reject
            }
        case .show: .show
        case .list: .list
        case .watch: .watch
        case .unwatch: .unwatch
        case .mode: .mode
        case .admin: .admin
        case .ping: .ping
        }
    }

    private var subject: String {
        switch command {
        case .notify(let notification): notification.topic.text
        case .run(let request): request.pipeline.text
        case .attach(let request): request.run.text
        case .cancel(let request): request.run.text
        case .redrive(let request): request.run.text
        case .decide(let decision): decision.signal.text
        case .show(let request): request.subject
        case .list(let request): request.kind.rawValue
        case .watch(let request): request.pattern.text
        case .mode(let request): request.monitors.text
        case .admin(let request): request.verb.text
        case .hello, .unwatch, .ping: ""
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
        case .attach(let request):
            attributes["wait_ms"] = request.patience.map { .integer($0.milliseconds) }
            if request.wantsProgress { attributes["progress"] = true }
        case .cancel(let request): attributes["durability"] = request.durability.map { .string($0.rawValue) }
        case .redrive(let request): attributes["durability"] = request.durability.map { .string($0.rawValue) }
        case .decide(let decision):
            if decision.keep != WireLimits.defaultKeep { attributes["keep_ms"] = .integer(decision.keep.milliseconds) }
            attributes["durability"] = decision.durability.map { .string($0.rawValue) }
        case .list(let request):
            if request.limit != 100 { attributes["limit"] = .integer(Int64(request.limit)) }
            attributes["cursor"] = request.cursor.map { .string($0) }
        case .watch(let request): attributes["credit"] = .integer(Int64(request.credit))
        case .mode(let request): attributes["ttl_ms"] = .integer(request.timeToLive.milliseconds)
        case .hello, .show, .unwatch, .admin, .ping: break
        }
        attributes["source"] = source.map { .string($0) }
        attributes["traceparent"] = traceparent.map { .string($0) }
        return attributes
    }

    private var body: [UInt8] {
        switch command {
        case .notify(let notification): notification.body
        case .run(let request): Self.bytes(of: request.seeds)
        case .cancel(let request): Self.bytes(of: request.reason)
        case .decide(let decision):
            switch decision.outcome {
            case .approved(let value): value
            case .rejected(let reason): Self.bytes(of: reason)
            }
        case .mode(let request): Self.bytes(of: ["screen": request.screen.map { .string($0) } ?? .null])
        case .admin(let request): Self.bytes(of: request.arguments)
        case .hello, .attach, .redrive, .show, .list, .watch, .unwatch: []
        case .ping(let body): body
        }
    }

    private static func bytes(of object: JSONObject) -> [UInt8] {
        object.isEmpty ? [] : JSONValue.object(object).encoded
    }

    private static func bytes(of reason: String) -> [UInt8] {
        reason.isEmpty ? [] : JSONValue.string(reason).encoded
    }
}

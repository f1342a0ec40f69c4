extension Answer {
    /// Writes the answer as five frames into `buffer`, and replaces the buffer's content.
    public func encode(into buffer: inout FrameBuffer) {
        buffer.removeAll()
        buffer.append(command: content.word.rawValue)
        buffer.append(frame: id?.text ?? "")
        buffer.append(frame: subject)
        buffer.appendFrame { attributes in
            attributes.openObject()
            write(to: &attributes)
            if isReplayed { attributes.add("replayed", true) }
            attributes.closeObject()
        }
        writeBody(to: &buffer)
    }

    /// The answer as five frames.
    public var frames: Frames {
        var buffer = FrameBuffer()
        encode(into: &buffer)
        return buffer.frames
    }

    private var subject: String {
        switch content {
        case .accepted(let acceptance): acceptance.run?.text ?? ""
        case .progress(let progress): progress.run.text
        case .result(let result): result.run.text
        case .verdict(let report): report.signal.text
        case .ok(let report): report.run?.text ?? ""
        case .event(let event): event.subject.text
        case .welcome, .evaluated, .shown, .page, .pong, .error: ""
        }
    }

    private func write(to attributes: inout JSONWriter) {
        switch content {
        case .welcome(let welcome): welcome.write(to: &attributes)
        case .accepted(let acceptance):
            attributes.add("durability", acceptance.durability.rawValue)
            if let monitors = acceptance.monitors { attributes.add("monitors", Int64(monitors)) }
            if let retention = acceptance.retention { attributes.add("retention_ms", retention.milliseconds) }
        case .progress(let progress): progress.write(to: &attributes)
        case .result(let result): result.write(to: &attributes)
        case .evaluated(let evaluation):
            if !evaluation.pending.isEmpty {
                attributes.add("pending", .array(evaluation.pending.map { .string($0.text) }))
            }
        case .verdict(let report): report.write(to: &attributes)
        case .ok(let report): report.write(to: &attributes)
        case .shown: break
        case .event(let event): event.write(to: &attributes)
        case .page(let page): if let cursor = page.cursor { attributes.add("cursor", cursor) }
        case .pong(let pong):
            attributes.add("worker", pong.worker)
            attributes.add("protocol", Int64(CommandFrame.version))
            attributes.add("state", pong.state.rawValue)
        case .error(let error): error.write(to: &attributes)
        }
    }

    private func writeBody(to buffer: inout FrameBuffer) {
        switch content {
        case .welcome, .accepted, .progress, .verdict, .ok, .error: buffer.endFrame()
        case .result(let result):
            buffer.appendFrame { body in
                body.openObject()
                result.write(toBody: &body)
                body.closeObject()
            }
        case .evaluated(let evaluation):
            buffer.appendFrame { $0.write(objects: evaluation.monitors) { $0.write(to: &$1) } }
        case .shown(let item): buffer.appendFrame { $0.write(item) }
        case .event(let event): buffer.appendFrame { $0.write(event.body) }
        case .page(let page): buffer.appendFrame { $0.write(.array(page.items.map { .object($0) })) }
        case .pong(let pong): buffer.append(frame: pong.body)
        }
    }
}

extension Answer.Content {
    /// The word of the answer's command frame.
    package var word: AnswerWord {
        switch self {
        case .welcome: .welcome
        case .accepted: .accepted
        case .progress: .progress
        case .result: .result
        case .evaluated: .evaluated
        case .verdict: .verdict
        case .ok: .ok
        case .shown: .shown
        case .page: .page
        case .event: .event
        case .pong: .pong
        case .error: .error
        }
    }
}

extension Answer {
    /// Writes the answer as five frames into `buffer`, replacing what it held.
    public func encode(into buffer: inout FrameBuffer) {
        buffer.removeAll()
        buffer.append(frame: word.frame)
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

    private var word: AnswerWord {
        switch content {
        case .accepted: .accepted
        case .progress: .progress
        case .result: .result
        case .evaluated: .evaluated
        case .verdict: .verdict
        case .page: .page
        case .pong: .pong
        case .error: .error
        }
    }

    private var subject: String {
        switch content {
        case .accepted(let acceptance): acceptance.run?.text ?? ""
        case .progress(let progress): progress.run.text
        case .result(let result): result.run.text
        case .verdict(let report): report.signal.text
        case .evaluated, .page, .pong, .error: ""
        }
    }

    private func write(to attributes: inout JSONWriter) {
        switch content {
        case .accepted(let acceptance):
            attributes.add("durability", acceptance.durability.rawValue)
            if let monitors = acceptance.monitors { attributes.add("monitors", Int64(monitors)) }
            if let retention = acceptance.retention { attributes.add("retention_ms", retention.milliseconds) }
        case .progress(let progress): progress.write(to: &attributes)
        case .result(let result):
            attributes.add("state", result.state.rawValue)
            if result.state != .completed { attributes.add("reason", result.reason) }
        case .evaluated(let evaluation):
            if !evaluation.pending.isEmpty {
                attributes.add("pending", .array(evaluation.pending.map { .string($0.text) }))
            }
        case .verdict(let report): report.write(to: &attributes)
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
        case .accepted, .progress, .verdict, .error: buffer.endFrame()
        case .result(let result):
            buffer.appendFrame { body in
                body.openObject()
                body.add("actions", .array(result.actions.map { .object($0.json) }))
                body.add("outputs", .object(result.outputs))
                body.closeObject()
            }
        case .evaluated(let evaluation):
            buffer.appendFrame { $0.write(.array(evaluation.monitors.map { .object($0.json) })) }
        case .page(let page): buffer.appendFrame { $0.write(.array(page.items.map { .object($0) })) }
        case .pong(let pong): buffer.append(frame: pong.body)
        }
    }
}

extension RunProgress {
    fileprivate func write(to attributes: inout JSONWriter) {
        attributes.add("sequence", Int64(sequence))
        switch change {
        case .started(let action):
            attributes.add("state", "started")
            attributes.add("action", action)
        case .finished(let action, let result):
            attributes.add("state", "finished")
            attributes.add("action", action)
            attributes.add("result", result.word)
            if case .failed(let reason) = result { attributes.add("reason", reason) }
        case .waiting(let action, let signal):
            attributes.add("state", "waiting")
            attributes.add("action", action)
            attributes.add("signal", signal.text)
        case .resumed(let action, let signal):
            attributes.add("state", "resumed")
            attributes.add("action", action)
            attributes.add("signal", signal.text)
        }
    }
}

extension VerdictReport {
    fileprivate func write(to attributes: inout JSONWriter) {
        attributes.add("verdict", verdict.word)
        switch verdict {
        case .delivered, .duplicate, .expired, .unknown: break
        case .counted(let have, let need):
            attributes.add("have", Int64(have))
            attributes.add("need", Int64(need))
        case .buffered(let time): attributes.add("keep_ms", time.milliseconds)
        case .conflict(let standing):
            attributes.add("standing", standing.decision)
            attributes.add("by", standing.principal)
            attributes.add("at_ms", standing.unixMilliseconds)
        case .closed(let why), .forbidden(let why): attributes.add("why", why)
        }
        attributes.add("durability", durability.rawValue)
        attributes.add("retention_ms", retention.milliseconds)
    }
}

extension BusError {
    fileprivate func write(to attributes: inout JSONWriter) {
        attributes.add("code", code.rawValue)
        attributes.add("message", message)
        attributes.add("next", next)
        attributes.add("retryable", .bool(isRetryable))
        if let retryAfter { attributes.add("retry_after_ms", retryAfter.milliseconds) }
        for detail in details.entries { attributes.add(detail.key, detail.value) }
    }
}

extension ActionOutcome.Result {
    /// The result's word, as it travels.
    public var word: String {
        switch self {
        case .completed: "completed"
        case .skipped: "skipped"
        case .failed: "failed"
        }
    }
}

extension ActionOutcome {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["action": .string(action), "result": .string(result.word)]
        if case .failed(let reason) = result { object["reason"] = .string(reason) }
        object["start_us"] = .integer(start.microseconds)
        object["duration_us"] = .integer(duration.microseconds)
        return object
    }
}

extension Evaluation.Monitor {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["monitor": .string(monitor.text)]
        object["cycle"] = cycle.map { .integer(Int64($0)) }
        object["state"] = .string(state.rawValue)
        object["actions"] = .array(actions.map { .object($0.json) })
        return object
    }
}

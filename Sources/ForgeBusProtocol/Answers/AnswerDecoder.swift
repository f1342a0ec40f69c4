extension Answer {
    /// Reads an answer from its five frames.
    ///
    /// This initializer ignores unknown attributes and members, because a newer worker may add them.
    ///
    /// - Throws: ``BusError`` with code `bad_answer`; the message names the flaw.
    public init(decoding frames: Frames) throws(BusError) {
        do throws(BusError) {
            try self.init(reading: frames)
        } catch {
            // In a request, a malformed name, id or body has its own code. In an answer, every flaw is `bad_answer`.
            if error.code == .badAnswer { throw error }
            var flaw = Errors.badAnswer(String(error.message.dropLast()))
            if error.code == .notForge {
                flaw.next = "Check that a worker listens at the endpoint, and not another program."
            }
            throw flaw
        }
    }

    /// The word of the answer in `frames`; nil if this version does not know the word.
    ///
    /// Only the command frame is read, so the other frames may be malformed.
    package static func word(of frames: Frames) -> AnswerWord? {
        (try? CommandFrame.word(of: frames.command)).flatMap(AnswerWord.init(rawValue:))
    }

    private init(reading frames: Frames) throws(BusError) {
        let text = try CommandFrame.word(of: frames.command)
        guard let word = AnswerWord(rawValue: text) else {
            throw Errors.badAnswer("\(Printable.quoted(text)) is not an answer of protocol version 1")
        }
        let attributes = try AnswerFields(attributes: frames.attributes, of: text)
        let content: Content =
            switch word {
            case .welcome: .welcome(try Welcome(attributes))
            case .accepted: .accepted(try Acceptance(attributes, subject: frames.subject))
            case .progress: .progress(try RunProgress(attributes, subject: frames.subject))
            case .result: .result(try RunResult(attributes, subject: frames.subject, body: frames.body))
            case .evaluated: .evaluated(try Evaluation(attributes, body: frames.body))
            case .verdict: .verdict(try VerdictReport(attributes, subject: frames.subject))
            case .ok: .ok(try StateReport(attributes, subject: frames.subject))
            case .shown: .shown(try AnswerFields(body: frames.body, of: text).object)
            case .event: .event(try BusEvent(attributes, subject: frames.subject, body: frames.body))
            case .page: .page(try Page(attributes, body: frames.body))
            case .pong: .pong(try Pong(attributes, body: frames.body))
            case .error: .error(try BusError(attributes))
            }
        self.init(
            to: frames.id.isEmpty ? nil : try RequestID(bytes: frames.id),
            content,
            isReplayed: attributes.object["replayed"]?.bool ?? false
        )
    }
}

/// A kind of request to a worker, with all rules that are specific to the kind.
///
/// Each verb has its own file in this folder.
///
/// To add a verb, copy the file of another verb and name the new type in `Command.swift`. A test names the other
/// places, which the compiler cannot find: a section of `Protocol.md`, a golden vector and a line in the Python reader.
package protocol Verb: Sendable {
    /// The type of frame 2.
    associatedtype Subject: RequestSubject

    /// The verb's words in frame 0.
    ///
    /// A verb has two words if the word is part of the request's content: a decision has COMPLETE and REJECT.
    static var words: [String] { get }
    /// The verb's own attributes, each of which changes the effect of the request.
    static var attributes: [String] { get }
    /// The right that the sender needs; nil if everybody may send the request.
    static var right: Right? { get }
    /// Whether the worker remembers the request's effect under its id, so that a resend has no second effect.
    static var isLedgered: Bool { get }

    /// Whether copies of the request must not be sent to different stores.
    ///
    /// A worker with another store could carry the request out a second time, or could have a different run with the
    /// same id.
    static var isTiedToStore: Bool { get }

    /// Reads the attributes and then the body of a request, whose subject is already read.
    init(_ subject: Subject, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError)

    /// Reads the subject, the attributes and the body of a request, in this order.
    static func read(_ frames: Frames, as word: String) throws(BusError) -> (Request.Command, AttributeReader)

    /// The verb as a command.
    var command: Request.Command { get }
    /// The word of this request in frame 0.
    var word: String { get }
    /// The subject, which is frame 2.
    var subject: Subject { get }
    /// The body, which is frame 4.
    var body: [UInt8] { get }
    /// Writes the verb's own attributes, without those that have their default value.
    func write(to attributes: inout JSONObject)

    /// The name or pattern that the sender's grant of ``right`` must cover; nil if it depends on a run.
    ///
    /// With nil, the worker checks the right after it has looked for the run.
    var target: String? { get }
    /// The attributes that are part of the request's content, beside its subject and its body; nil if there are none.
    ///
    /// A request with the same id but other content is a conflict.
    var content: VerbContent? { get }
    /// Which answer to the request is the last one.
    var lastAnswer: LastAnswer { get }
    /// Whether the first answer comes immediately; if not, the request never counts as outstanding.
    var isAnsweredAtOnce: Bool { get }
}

/// The defaults of most verbs.
extension Verb {
    package static func read(_ frames: Frames, as word: String) throws(BusError) -> (Request.Command, AttributeReader) {
        try readFrames(frames, as: word)
    }

    /// Reads the frames as a request of this verb, without first checking whether the subject means many runs.
    static func readFrames(_ frames: Frames, as word: String) throws(BusError) -> (Request.Command, AttributeReader) {
        let subject = try Subject(bytes: frames.subject)
        let attributes = try AttributeReader(frames.attributes, of: word, taking: attributes)
        let verb = try Self(subject, attributes, BodyReader(word: word, frame: frames.body))
        return (verb.command, attributes)
    }

    package static var isTiedToStore: Bool { isLedgered }
    package var word: String { Self.words[0] }
    package var body: [UInt8] { [] }
    package func write(to attributes: inout JSONObject) {}
    package var target: String? { subject.text }
    package var content: VerbContent? { nil }
    package var lastAnswer: LastAnswer { .first }
    package var isAnsweredAtOnce: Bool { true }
}

/// The type of the subject, which is frame 2 of a request.
package protocol RequestSubject: Sendable {
    /// Reads the frame.
    init(bytes: ArraySlice<UInt8>) throws(BusError)
    /// The subject's text on the wire.
    var text: String { get }
}

extension Name: RequestSubject {}
extension NamePattern: RequestSubject {}

/// The type of the subject of a verb without a subject: a receiver ignores the frame.
package struct NoSubject: RequestSubject {
    package init() {}
    package init(bytes: ArraySlice<UInt8>) {}
    package var text: String { "" }
}

/// The attributes that are part of a request's content, for the ledger's fingerprint.
package struct VerbContent: Sendable {
    /// The deadline of a run, the time to keep a decision, or the time for which a screen or a pause lasts; nil for a
    /// request without such a time.
    package var time: Duration?
    /// The lowest durability that the sender accepts; nil accepts the worker's default.
    package var durability: Durability?
    /// The filter and the expected number of runs, as JSON, of a ``SteeringRequest``; nil for any other request.
    package var selection: String?
}

/// Which answer to a request is the last one.
package enum LastAnswer: Sendable {
    /// The first answer is the last one.
    case first
    /// ACCEPTED is the last answer.
    case acceptance
    /// EVALUATED is the last answer, after ACCEPTED.
    case evaluation
    /// RESULT is the last answer, after ACCEPTED.
    case result
    /// RESULT, or OK with the current state of the run, is the last answer.
    case resultOrState
}

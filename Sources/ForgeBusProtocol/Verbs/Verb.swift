/// A request to a worker, with everything specific to it: one file of this folder for each verb.
///
/// To add a verb, copy a neighbour's file and name the type in `Command.swift`. A test names the other places, which
/// the compiler cannot find: its section in `Protocol.md`, a golden vector, its line in the reader in Python.
package protocol Verb: Sendable {
    /// The type of frame 2.
    associatedtype Subject: RequestSubject

    /// The words of frame 0: one, or two if the word is part of the request.
    static var words: [String] { get }
    /// The verb's own attributes, each of which changes its effect.
    static var attributes: [String] { get }
    /// The right that its sender needs; nil if everybody may send it.
    static var right: Right? { get }
    /// Whether the worker remembers its effect under the id, so that the same request takes effect once.
    static var isLedgered: Bool { get }

    /// Reads the request from frames whose subject is already read: the attributes first, then the body.
    init(_ subject: Subject, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError)

    /// Reads the frames from the subject on, in their order.
    static func read(_ frames: Frames, as word: String) throws(BusError) -> (Request.Command, AttributeReader)

    /// The verb as a command.
    var command: Request.Command { get }
    /// The word of this request.
    var word: String { get }
    /// Frame 2.
    var subject: Subject { get }
    /// Frame 4.
    var body: [UInt8] { get }
    /// Writes the verb's own attributes, without those that have their default value.
    func write(to attributes: inout JSONObject)

    /// The target that ``right`` must cover; nil if it depends on the owner of a run, which is checked after finding
    /// the run.
    var target: String? { get }
    /// The attributes that are content: other ones with the same id are a conflict. Nil if there are none.
    var content: VerbContent? { get }
    /// Which of its answers is the last one.
    var lastAnswer: LastAnswer { get }
    /// Whether its first answer comes immediately; until then the request counts as outstanding.
    var isAnsweredAtOnce: Bool { get }
}

/// The defaults of most verbs.
extension Verb {
    package static func read(_ frames: Frames, as word: String) throws(BusError) -> (Request.Command, AttributeReader) {
        let subject = try Subject(bytes: frames.subject)
        let attributes = try AttributeReader(frames.attributes, of: word, taking: attributes)
        let verb = try Self(subject, attributes, BodyReader(word: word, frame: frames.body))
        return (verb.command, attributes)
    }

    package var word: String { Self.words[0] }
    package var body: [UInt8] { [] }
    package func write(to attributes: inout JSONObject) {}
    package var target: String? { subject.text }
    package var content: VerbContent? { nil }
    package var lastAnswer: LastAnswer { .first }
    package var isAnsweredAtOnce: Bool { true }
}

/// The types of frame 2 of a request.
package protocol RequestSubject: Sendable {
    /// Reads the frame.
    init(bytes: ArraySlice<UInt8>) throws(BusError)
    /// The subject's text on the wire.
    var text: String { get }
}

extension Name: RequestSubject {}
extension NamePattern: RequestSubject {}

/// The subject of a verb without one: a receiver ignores the frame.
package struct NoSubject: RequestSubject {
    package init() {}
    package init(bytes: ArraySlice<UInt8>) {}
    package var text: String { "" }
}

/// The attributes that are content, for the ledger's fingerprint.
package struct VerbContent: Sendable {
    /// A deadline, or how long something is valid or kept.
    package var time: Duration?
    /// The least durability the sender accepts.
    package var durability: Durability?
}

/// Which answer to a request is the last one.
package enum LastAnswer: Sendable {
    /// The first one.
    case first
    /// ACCEPTED.
    case acceptance
    /// EVALUATED, after ACCEPTED.
    case evaluation
    /// RESULT, after ACCEPTED.
    case result
    /// RESULT, or OK with the state.
    case resultOrState
}

/// What is asked of a worker, and all that is particular to asking it: one file of this folder for each verb.
///
/// To add a verb, copy a neighbour's file and name the type in `Command.swift`. What else it needs, and no compiler
/// finds, a test names: its section in `Protocol.md`, a golden vector, its line in the reader in Python.
package protocol Verb: Sendable {
    /// What frame 2 holds.
    associatedtype Subject: RequestSubject

    /// The words of frame 0: one, or two where the word is part of what is asked.
    static var words: [String] { get }
    /// The attributes of its own, each of which changes its effect.
    static var attributes: [String] { get }
    /// The right its sender needs; nil for what everybody may do.
    static var right: Right? { get }
    /// Whether the worker keeps what it did under the id, so that the same request has its effect once.
    static var isLedgered: Bool { get }

    /// Reads what is asked, of frames whose subject is read already: the attributes first, then the body.
    init(_ subject: Subject, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError)

    /// Reads the frames from the subject on, in their order.
    static func read(_ frames: Frames, as word: String) throws(BusError) -> (Request.Command, AttributeReader)

    /// The same as a command.
    var command: Request.Command { get }
    /// The word that asks for this.
    var word: String { get }
    /// Frame 2.
    var subject: Subject { get }
    /// Frame 4.
    var body: [UInt8] { get }
    /// Writes the attributes of its own, without those that have their default value.
    func write(to attributes: inout JSONObject)

    /// What ``right`` has to cover; nil where that depends on whose a run is, which is asked once it was looked for.
    var target: String? { get }
    /// The attributes that are content: the same id with others is a conflict. Nil where there are none.
    var content: VerbContent? { get }
    /// Which of its answers is the last one.
    var lastAnswer: LastAnswer { get }
    /// Whether its first answer comes at once, so that until then it counts as outstanding.
    var isAnsweredAtOnce: Bool { get }
}

/// What most verbs have in common.
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

/// What frame 2 of a request can hold.
package protocol RequestSubject: Sendable {
    /// Reads the frame.
    init(bytes: ArraySlice<UInt8>) throws(BusError)
    /// The subject as it travels.
    var text: String { get }
}

extension Name: RequestSubject {}
extension NamePattern: RequestSubject {}

/// The subject of a verb that has none: a receiver does not read the frame.
package struct NoSubject: RequestSubject {
    package init() {}
    package init(bytes: ArraySlice<UInt8>) {}
    package var text: String { "" }
}

/// The attributes that are content, as the ledger's fingerprint takes them.
package struct VerbContent: Sendable {
    /// A deadline, or how long something holds or is kept.
    package var time: Duration?
    /// The least durability the sender takes.
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

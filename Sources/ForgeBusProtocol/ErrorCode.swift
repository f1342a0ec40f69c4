/// The code of an error, as sent on the wire; open, because a newer worker may know more codes.
public struct ErrorCode: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The code on the wire, for instance `bad_seed`.
    public let rawValue: String

    /// Makes a code, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code on the wire.
    public var description: String { rawValue }

    /// Whether sending the same request again, unchanged, can succeed; false for a code that is not in the catalogue.
    public var isRetryable: Bool { Self.catalogue.first { $0.code == self }?.isRetryable ?? false }
}

extension ErrorCode {
    /// One entry of the catalogue.
    public struct Entry: Sendable {
        /// The code.
        public let code: ErrorCode
        /// The meaning, one sentence.
        public let meaning: String
        /// Whether sending the same request again, unchanged, can succeed.
        public let isRetryable: Bool
    }

    /// Every code of protocol version 1, in the order of `Protocol.md`; a test compares the two.
    public static let catalogue: [Entry] = [
        Entry(code: .notForge, meaning: "The message is not five frames beginning `FORGE/`.", isRetryable: false),
        Entry(code: .chosenRoutingID, meaning: "The connection chose its own routing id.", isRetryable: false),
        Entry(code: .unsupportedVersion, meaning: "The protocol's version is not spoken here.", isRetryable: false),
        Entry(code: .unknownCommand, meaning: "The command is not one of this version.", isRetryable: false),
        Entry(code: .badID, meaning: "The id is not 1 to 128 bytes of 0x21 to 0x7E.", isRetryable: false),
        Entry(code: .badName, meaning: "The subject is not a name.", isRetryable: false),
        Entry(code: .badPattern, meaning: "The subject is not a pattern.", isRetryable: false),
        Entry(
            code: .badAttribute,
            meaning: "An attribute is absent, misplaced, misspelt or malformed.",
            isRetryable: false
        ),
        Entry(code: .badBody, meaning: "The body is not what the command takes.", isRetryable: false),
        Entry(code: .badSeed, meaning: "A seed is missing, unknown or of another type.", isRetryable: false),
        Entry(code: .badOrigin, meaning: "The origin of a published message is malformed.", isRetryable: false),
        Entry(code: .tooLarge, meaning: "A part of the message is over its limit.", isRetryable: false),
        Entry(code: .unknownPipeline, meaning: "No pipeline of that name is served here.", isRetryable: false),
        Entry(
            code: .unknownRun,
            meaning: "No run of that id that the sender may see is kept here.",
            isRetryable: false
        ),
        Entry(code: .unknownSignal, meaning: "No signal of that id waits or is kept here.", isRetryable: false),
        Entry(code: .unknownMonitor, meaning: "No monitor of that name is served here.", isRetryable: false),
        Entry(code: .unknownKind, meaning: "LIST or SHOW does not know that kind.", isRetryable: false),
        Entry(code: .unknownVerb, meaning: "ADMIN does not know that verb.", isRetryable: false),
        Entry(code: .forbidden, meaning: "The sender may not do this.", isRetryable: false),
        Entry(code: .idConflict, meaning: "The id was used for other content.", isRetryable: false),
        Entry(code: .idTaken, meaning: "The signal's id belongs to another owner.", isRetryable: false),
        Entry(code: .notRejectable, meaning: "A plain signal can only be completed.", isRetryable: false),
        Entry(code: .notParked, meaning: "Only a parked run can be redriven.", isRetryable: false),
        Entry(code: .notDurable, meaning: "The worker's store cannot give that durability.", isRetryable: false),
        Entry(code: .storeFailed, meaning: "The store could not do what was asked of it.", isRetryable: false),
        Entry(code: .busy, meaning: "A limit is reached; `limit` names it.", isRetryable: true),
        Entry(code: .notReady, meaning: "The worker is starting.", isRetryable: true),
        Entry(code: .draining, meaning: "The worker is stopping.", isRetryable: true),
        Entry(code: .timeout, meaning: "No answer came in time: the outcome is unknown.", isRetryable: true),
        Entry(code: .unreachable, meaning: "The request could not be handed to the network.", isRetryable: true),
        Entry(code: .closed, meaning: "The client was closed: the outcome is unknown.", isRetryable: true),
        Entry(
            code: .cancelled,
            meaning: "The task that waited was cancelled: the outcome is unknown.",
            isRetryable: false
        ),
        Entry(
            code: .otherStore,
            meaning: "The worker has another store than the request may have been sent to.",
            isRetryable: false
        ),
        Entry(code: .badAnswer, meaning: "An answer was not understood.", isRetryable: false),
    ]

    /// The message is not five frames beginning `FORGE/`.
    public static let notForge = ErrorCode(rawValue: "not_forge")
    /// The connection chose its own routing id.
    public static let chosenRoutingID = ErrorCode(rawValue: "chosen_routing_id")
    /// The protocol's version is not spoken here.
    public static let unsupportedVersion = ErrorCode(rawValue: "unsupported_version")
    /// The command is not one of this version.
    public static let unknownCommand = ErrorCode(rawValue: "unknown_command")
    /// The id is not 1 to 128 bytes of 0x21 to 0x7E.
    public static let badID = ErrorCode(rawValue: "bad_id")
    /// The subject is not a name.
    public static let badName = ErrorCode(rawValue: "bad_name")
    /// The subject is not a pattern.
    public static let badPattern = ErrorCode(rawValue: "bad_pattern")
    /// An attribute is absent, misplaced, misspelt or malformed.
    public static let badAttribute = ErrorCode(rawValue: "bad_attribute")
    /// The body is not what the command takes.
    public static let badBody = ErrorCode(rawValue: "bad_body")
    /// A seed is missing, unknown or of another type than declared.
    public static let badSeed = ErrorCode(rawValue: "bad_seed")
    /// The origin of a published message is neither empty nor sixteen bytes with a number from 1.
    ///
    /// Counted and logged; a publisher gets no answer.
    public static let badOrigin = ErrorCode(rawValue: "bad_origin")
    /// A part of the message is over its limit.
    public static let tooLarge = ErrorCode(rawValue: "too_large")
    /// No pipeline of that name is served here.
    public static let unknownPipeline = ErrorCode(rawValue: "unknown_pipeline")
    /// No run of that id that the sender may see is kept here.
    public static let unknownRun = ErrorCode(rawValue: "unknown_run")
    /// No signal of that id waits or is kept here.
    public static let unknownSignal = ErrorCode(rawValue: "unknown_signal")
    /// No monitor of that name is served here.
    public static let unknownMonitor = ErrorCode(rawValue: "unknown_monitor")
    /// LIST or SHOW does not know that kind.
    public static let unknownKind = ErrorCode(rawValue: "unknown_kind")
    /// ADMIN does not know that verb.
    public static let unknownVerb = ErrorCode(rawValue: "unknown_verb")
    /// The sender may not do this.
    public static let forbidden = ErrorCode(rawValue: "forbidden")
    /// The id was used for other content.
    public static let idConflict = ErrorCode(rawValue: "id_conflict")
    /// The signal's id belongs to another owner.
    public static let idTaken = ErrorCode(rawValue: "id_taken")
    /// A plain signal can only be completed.
    public static let notRejectable = ErrorCode(rawValue: "not_rejectable")
    /// Only a parked run can be redriven.
    public static let notParked = ErrorCode(rawValue: "not_parked")
    /// The worker's store does not provide the requested durability.
    public static let notDurable = ErrorCode(rawValue: "not_durable")
    /// The store could not do what was requested.
    public static let storeFailed = ErrorCode(rawValue: "store_failed")
    /// A limit is reached; the detail `limit` names it.
    public static let busy = ErrorCode(rawValue: "busy")
    /// The worker is starting.
    public static let notReady = ErrorCode(rawValue: "not_ready")
    /// The worker is stopping.
    public static let draining = ErrorCode(rawValue: "draining")
    /// No answer came in time: the outcome is unknown, and sending again with the same id is safe.
    ///
    /// Only clients use this code.
    public static let timeout = ErrorCode(rawValue: "timeout")
    /// The request could not be passed to the network.
    ///
    /// Only clients use this code.
    public static let unreachable = ErrorCode(rawValue: "unreachable")
    /// The client was closed before an answer came: the outcome is unknown.
    ///
    /// Only clients use this code.
    public static let closed = ErrorCode(rawValue: "closed")
    /// The task that waited was cancelled before an answer came: the outcome is unknown.
    ///
    /// Not retryable, because a task that was cancelled is to end. Said by clients.
    public static let cancelled = ErrorCode(rawValue: "cancelled")
    /// The worker that is reached now has another store than the request may have been sent to: the outcome is unknown.
    ///
    /// Said by clients of several endpoints.
    public static let otherStore = ErrorCode(rawValue: "other_store")
    /// An answer was not understood.
    ///
    /// Only clients use this code.
    public static let badAnswer = ErrorCode(rawValue: "bad_answer")
}

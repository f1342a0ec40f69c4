/// The code of an error, as sent on the wire.
///
/// Any text can be a code, because a newer worker may send codes that this version does not know.
public struct ErrorCode: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The code on the wire, for instance `bad_seed`.
    public let rawValue: String

    /// Makes a code from its text on the wire, whether or not it is in ``catalogue``.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code on the wire.
    public var description: String { rawValue }

    /// Whether sending the same request again, unchanged, can succeed; false for a code that is not in the catalogue.
    public var isRetryable: Bool { Self.catalogue.first { $0.code == self }?.isRetryable ?? false }
}

extension ErrorCode {
    /// An error code with its meaning, as ``ErrorCode/catalogue`` lists it.
    public struct Entry: Sendable {
        /// The error code.
        public let code: ErrorCode
        /// The meaning of the code, in one sentence.
        public let meaning: String
        /// Whether sending the same request again, unchanged, can succeed.
        public let isRetryable: Bool

        package init(code: ErrorCode, meaning: String, isRetryable: Bool) {
            self.code = code
            self.meaning = meaning
            self.isRetryable = isRetryable
        }
    }

    /// Every code of protocol version 1, in the order of `Protocol.md`.
    ///
    /// A test compares this list with the table of that page.
    public static let catalogue: [Entry] = [
        Entry(
            code: .notForge,
            meaning: "The message does not have five frames, or its first frame does not begin with `FORGE/`.",
            isRetryable: false
        ),
        Entry(
            code: .chosenRoutingID,
            meaning: "The connection set its own routing id, which is not allowed.",
            isRetryable: false
        ),
        Entry(
            code: .unsupportedVersion,
            meaning:
                "The receiver does not support this version of the protocol, or a part of it that the request needs.",
            isRetryable: false
        ),
        Entry(code: .unknownCommand, meaning: "The worker does not know this command.", isRetryable: false),
        Entry(
            code: .badID,
            meaning:
                "The request does not have exactly one id of 1 to 128 printable ASCII characters without spaces, or its id "
                + "is in use.",
            isRetryable: false
        ),
        Entry(code: .badName, meaning: "A name in the request is not valid.", isRetryable: false),
        Entry(code: .badPattern, meaning: "A pattern in the request is not valid.", isRetryable: false),
        Entry(
            code: .badAttribute,
            meaning:
                "An attribute (over HTTP: a query parameter) is missing, misspelt, malformed, repeated or not allowed.",
            isRetryable: false
        ),
        Entry(code: .badBody, meaning: "The body does not have the form that the command needs.", isRetryable: false),
        Entry(
            code: .badSeed,
            meaning: "A seed is missing or unknown, or the pipeline cannot use its value.",
            isRetryable: false
        ),
        Entry(
            code: .badValue,
            meaning: "The value of a decision is not what the gate expects, or the gate's rule is not valid.",
            isRetryable: false
        ),
        Entry(code: .badOrigin, meaning: "The origin of a published message is malformed.", isRetryable: false),
        Entry(code: .tooLarge, meaning: "A part of the message is larger than its limit.", isRetryable: false),
        Entry(code: .unknownPipeline, meaning: "The worker has no pipeline with this name.", isRetryable: false),
        Entry(
            code: .unknownRun,
            meaning:
                "The worker has no run with this id or, for a history, nothing with this name.",
            isRetryable: false
        ),
        Entry(
            code: .unknownSignal,
            meaning: "The worker knows no signal with this id.",
            isRetryable: false
        ),
        Entry(code: .unknownMonitor, meaning: "The worker has no monitor with this name.", isRetryable: false),
        Entry(code: .unknownKind, meaning: "The command does not know this kind of item.", isRetryable: false),
        Entry(
            code: .unknownVerb,
            meaning: "The worker does not know this task of an operator, or its store cannot carry the task out.",
            isRetryable: false
        ),
        Entry(code: .forbidden, meaning: "The sender is not allowed to make this request.", isRetryable: false),
        Entry(
            code: .idConflict,
            meaning: "An earlier request with the same id had different content, or another sender at the gateway.",
            isRetryable: false
        ),
        Entry(code: .idTaken, meaning: "The signal's id already belongs to another owner.", isRetryable: false),
        Entry(
            code: .keyHeld,
            meaning: "Another run has the run's exclusive key, and the pipeline lets no run wait for it.",
            isRetryable: false
        ),
        Entry(
            code: .notRejectable,
            meaning: "A plain signal can be completed, but not rejected.",
            isRetryable: false
        ),
        Entry(code: .notParked, meaning: "Only a parked run can be redriven.", isRetryable: false),
        Entry(
            code: .countDiffers,
            meaning: "The number of matching runs is not the number that the request expects.",
            isRetryable: false
        ),
        Entry(
            code: .notDurable,
            meaning: "The worker's store does not provide the requested durability.",
            isRetryable: false
        ),
        Entry(code: .storeFailed, meaning: "The store could not do what was requested.", isRetryable: false),
        Entry(code: .busy, meaning: "A limit is reached; `limit` in this error names it.", isRetryable: true),
        Entry(
            code: .notReady,
            meaning: "The worker is still starting and does not accept this request yet.",
            isRetryable: true
        ),
        Entry(code: .draining, meaning: "The worker is stopping and does not accept this request.", isRetryable: true),
        Entry(code: .timeout, meaning: "No answer came, or none in time: the outcome is unknown.", isRetryable: true),
        Entry(
            code: .unreachable,
            meaning: "The request did not reach a worker, so it has no effect.",
            isRetryable: true
        ),
        Entry(
            code: .closed,
            meaning:
                "The client (over HTTP: that of the gateway) was closed before an answer came: the outcome may be "
                + "unknown.",
            isRetryable: true
        ),
        Entry(
            code: .cancelled,
            meaning:
                "The wait for the answer was cancelled, in the client or in the gateway: the outcome may be unknown "
                + "until the same request is sent again with the same id.",
            isRetryable: false
        ),
        Entry(
            code: .otherStore,
            meaning:
                "The client (over HTTP: the gateway) now reaches a worker with another store than when it sent the "
                + "request: the outcome is unknown.",
            isRetryable: false
        ),
        Entry(code: .badAnswer, meaning: "An answer of the worker was not understood.", isRetryable: false),
    ]

    /// The message does not have five frames, or its first frame does not begin with `FORGE/`.
    public static let notForge = ErrorCode(rawValue: "not_forge")
    /// The connection chose its own routing id.
    public static let chosenRoutingID = ErrorCode(rawValue: "chosen_routing_id")
    /// The receiver does not support this version of the protocol.
    public static let unsupportedVersion = ErrorCode(rawValue: "unsupported_version")
    /// The worker does not know this command.
    public static let unknownCommand = ErrorCode(rawValue: "unknown_command")
    /// The request id is not 1 to 128 bytes of 0x21 to 0x7E.
    public static let badID = ErrorCode(rawValue: "bad_id")
    /// The subject is not a valid name.
    public static let badName = ErrorCode(rawValue: "bad_name")
    /// The subject is not a valid pattern.
    public static let badPattern = ErrorCode(rawValue: "bad_pattern")
    /// An attribute is missing, misspelt, malformed or not allowed for the command.
    public static let badAttribute = ErrorCode(rawValue: "bad_attribute")
    /// The body does not have the form that the command needs.
    public static let badBody = ErrorCode(rawValue: "bad_body")
    /// A seed is missing or unknown, or the pipeline cannot use its value.
    public static let badSeed = ErrorCode(rawValue: "bad_seed")
    /// The value of a decision is not what the gate expects, or the gate's rule is not valid.
    public static let badValue = ErrorCode(rawValue: "bad_value")
    /// The origin of a published message is neither empty nor 16 bytes with a sequence number of 1 or more.
    ///
    /// The worker counts and logs the error; the publisher gets no answer.
    public static let badOrigin = ErrorCode(rawValue: "bad_origin")
    /// A part of the message is larger than its limit.
    public static let tooLarge = ErrorCode(rawValue: "too_large")
    /// The worker has no pipeline with this name.
    public static let unknownPipeline = ErrorCode(rawValue: "unknown_pipeline")
    /// The worker keeps no run with this id that the sender may see.
    public static let unknownRun = ErrorCode(rawValue: "unknown_run")
    /// The worker knows no signal with this id.
    public static let unknownSignal = ErrorCode(rawValue: "unknown_signal")
    /// The worker has no monitor with this name.
    public static let unknownMonitor = ErrorCode(rawValue: "unknown_monitor")
    /// The command does not know this kind of item.
    public static let unknownKind = ErrorCode(rawValue: "unknown_kind")
    /// The worker does not know this task of an operator, or its store cannot carry the task out.
    public static let unknownVerb = ErrorCode(rawValue: "unknown_verb")
    /// The sender is not allowed to make this request.
    public static let forbidden = ErrorCode(rawValue: "forbidden")
    /// An earlier request with the same id had different content.
    public static let idConflict = ErrorCode(rawValue: "id_conflict")
    /// The signal's id already belongs to another owner.
    public static let idTaken = ErrorCode(rawValue: "id_taken")
    /// Another run has the run's exclusive key, and the pipeline lets no run wait for it.
    public static let keyHeld = ErrorCode(rawValue: "key_held")
    /// The signal is a plain signal, which can be completed but not rejected.
    public static let notRejectable = ErrorCode(rawValue: "not_rejectable")
    /// The run is not parked, and only a parked run can be redriven.
    public static let notParked = ErrorCode(rawValue: "not_parked")
    /// The number of matching runs is not the number that the request expects.
    ///
    /// The detail `count` is the number of matching runs.
    public static let countDiffers = ErrorCode(rawValue: "count_differs")
    /// The worker's store does not provide the requested durability.
    public static let notDurable = ErrorCode(rawValue: "not_durable")
    /// The store could not do what was requested.
    public static let storeFailed = ErrorCode(rawValue: "store_failed")
    /// A limit is reached; `limit` in this error names it.
    public static let busy = ErrorCode(rawValue: "busy")
    /// The worker is still starting and does not accept this request yet.
    public static let notReady = ErrorCode(rawValue: "not_ready")
    /// The worker is stopping and does not accept this request.
    public static let draining = ErrorCode(rawValue: "draining")
    /// No answer came in time: the outcome is unknown.
    ///
    /// It is safe to send the same request again with the same id. Only clients use this code.
    public static let timeout = ErrorCode(rawValue: "timeout")
    /// The request did not reach a worker, so it has no effect.
    ///
    /// Only clients use this code.
    public static let unreachable = ErrorCode(rawValue: "unreachable")
    /// The client was closed before an answer came: the outcome is unknown.
    ///
    /// Only clients use this code.
    public static let closed = ErrorCode(rawValue: "closed")
    /// The task that waited was cancelled before an answer came: the outcome is unknown.
    ///
    /// The code is not retryable, because a cancelled task should end. Only clients use this code.
    public static let cancelled = ErrorCode(rawValue: "cancelled")
    /// The client sent the request to one store, and now reaches a worker with another store: the outcome is unknown.
    ///
    /// Only clients with several endpoints use this code.
    public static let otherStore = ErrorCode(rawValue: "other_store")
    /// The client did not understand an answer of the worker.
    ///
    /// Only clients use this code.
    public static let badAnswer = ErrorCode(rawValue: "bad_answer")
}

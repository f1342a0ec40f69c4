public import ForgeBusProtocol

/// A signal or gate that waits, or whose decision is kept.
///
/// A list leaves some properties nil; ``BusClient/show(signal:patience:)`` returns all that are known.
public struct HeldSignal: HeldItem {
    /// The kind of these items in LIST.
    public static var kind: ListKind { .signals }

    /// The id under which it is decided.
    public let id: SignalID
    /// Whether it is a signal or a gate; nil if nothing has waited for it yet.
    public let type: SignalType?
    /// Its state; nil for a state that only newer versions know, which ``json`` contains.
    public let state: State?
    /// The run whose action waits for it.
    public let run: RunID?
    /// The action that waits for it.
    public let action: String?
    /// The process that announced it, if a process did.
    public let process: String?
    /// When it expires, in milliseconds since 1970 by the worker's clock.
    public let deadlineUnixMilliseconds: Int64?
    /// The principals that may decide it; nil if its rule names none.
    public let allowed: [String]?
    /// Everything that the worker sent.
    public let json: JSONObject

    /// The kind of a signal: a gate or a plain signal.
    public enum SignalType: String, CaseIterable, Hashable, Sendable {
        /// A gate, which somebody approves or rejects.
        case gate
        /// A plain signal, which somebody completes.
        case signal
    }

    /// The states of a signal.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// It waits for a decision.
        case waiting
        /// It was approved, or completed.
        case approved
        /// It was rejected.
        case rejected
        /// Its deadline passed.
        case expired
        /// It was withdrawn before it was decided.
        case closed
        /// It was decided, but nothing waits for it yet.
        case buffered
    }

    /// Reads a signal from the worker's JSON.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if a member is missing that each signal has.
    public init(_ json: JSONObject) throws(BusError) {
        id = SignalID(try json.text("signal"))
        type = json["kind"]?.string.flatMap(SignalType.init)
        // Those of a list wait.
        state = json["state"].map { $0.string.flatMap(State.init) } ?? .waiting
        run = json["run"]?.string.map { RunID($0) }
        action = json["action"]?.string
        process = json["process"]?.string
        deadlineUnixMilliseconds = json["deadline_at_ms"]?.integer
        allowed = json["allowed"] == nil ? nil : json.texts("allowed")
        self.json = json
    }
}

public import ForgeBusProtocol

/// A signal or gate that waits, or whose decision is kept.
///
/// What is nil in a list, ``BusClient/show(signal:patience:)`` may know.
public struct HeldSignal: HeldItem {
    /// What a list of them is called.
    public static var kind: ListKind { .signals }

    /// The id under which it is decided.
    public let id: SignalID
    /// What it is; nil where nobody has waited for it yet.
    public let type: SignalType?
    /// How it stands; nil for a word of a newer worker, which ``json`` has.
    public let state: State?
    /// The run whose action waits for it.
    public let run: RunID?
    /// The action that waits for it.
    public let action: String?
    /// The process that announced it, where no run did.
    public let process: String?
    /// When it expires, in milliseconds since 1970 by the worker's clock.
    public let deadlineUnixMilliseconds: Int64?
    /// Who may decide it, where only some may.
    public let allowed: [String]?
    /// Everything the worker told.
    public let json: JSONObject

    /// What waits under an id.
    public enum SignalType: String, CaseIterable, Hashable, Sendable {
        /// It is approved or rejected.
        case gate
        /// It is completed.
        case signal
    }

    /// How a signal can stand.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// It waits for a decision.
        case waiting
        /// It was approved, or completed.
        case approved
        /// It was rejected.
        case rejected
        /// Its deadline passed.
        case expired
        /// It was withdrawn undecided.
        case closed
        /// It was decided before anybody waits for it.
        case buffered
    }

    /// Reads what the worker told.
    ///
    /// - Throws: `BusError` with code `bad_answer` where what each of them has is missing.
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

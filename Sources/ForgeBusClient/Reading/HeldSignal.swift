public import ForgeBusProtocol

/// A signal or gate that waits, or whose decision is kept.
public struct HeldSignal: HeldItem {
    /// The kind of list that contains signals and gates.
    public static var kind: ListKind { .signals }

    /// The id of the signal or gate.
    public let id: SignalID
    /// Whether it is a gate or a plain signal; nil if nothing has waited for it yet.
    public let type: SignalType?
    /// The signal's state; nil if this version does not know it (``json`` then contains the worker's word).
    public let state: State?
    /// The run whose action waits for the signal; nil if no run waits for it.
    public let run: RunID?
    /// The id of the action that waits for the signal; nil if no run waits for it.
    public let action: String?
    /// The process that announced the signal; nil if a run waits for it.
    public let process: String?
    /// When the signal expires, in milliseconds since 1970 by the worker's clock; nil without a deadline, or if it no
    /// longer waits.
    public let deadlineUnixMilliseconds: Int64?
    /// The principals that the gate's rule names as deciders; nil if it names none.
    ///
    /// If ``allowedGroups`` is nil, too, everybody with the right to complete the signal may decide it.
    public let allowed: [String]?
    /// The groups of the access policy whose members may decide the gate; nil if its rule names none.
    public let allowedGroups: [String]?
    /// What the sender of this request can do about the gate; nil for a plain signal, and from an older worker.
    public let you: Standing?
    /// Everything that the worker sent about the signal.
    public let json: JSONObject

    /// The kinds of signals.
    public enum SignalType: String, CaseIterable, Hashable, Sendable {
        /// A gate, which is approved or rejected.
        case gate
        /// A plain signal, which can only be completed.
        case signal
    }

    /// What a principal can do about a gate.
    public enum Standing: String, CaseIterable, Hashable, Sendable {
        /// It may decide the gate.
        case mayDecide = "may_decide"
        /// It has voted; the gate waits for the votes of others.
        case voted
        /// The gate's rule, or a missing right, keeps it from deciding.
        case mayNot = "may_not"
    }

    /// The states of a signal.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// The signal waits for a decision.
        case waiting
        /// The gate was approved, or the plain signal was completed.
        case approved
        /// The gate was rejected.
        case rejected
        /// The deadline passed before a decision came.
        case expired
        /// The signal was withdrawn before a decision came.
        case closed
        /// A decision came early: nothing waits for the signal yet.
        case buffered
    }

    /// Reads a signal that the worker sent.
    ///
    /// - Throws: `BusError` with code `bad_answer` if a required member is missing.
    public init(_ json: JSONObject) throws(BusError) {
        id = SignalID(try json.text("signal"))
        type = json["kind"]?.string.flatMap(SignalType.init)
        // A list contains only waiting signals, and does not name their state.
        state = json["state"].map { $0.string.flatMap(State.init) } ?? .waiting
        run = json["run"]?.string.map { RunID($0) }
        action = json["action"]?.string
        process = json["process"]?.string
        deadlineUnixMilliseconds = json["deadline_at_ms"]?.integer
        allowed = json["allowed"] == nil ? nil : json.texts("allowed")
        allowedGroups = json["allowed_groups"] == nil ? nil : json.texts("allowed_groups")
        you = json["you"]?.string.flatMap(Standing.init)
        self.json = json
    }
}

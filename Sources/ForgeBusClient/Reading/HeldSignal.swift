public import ForgeBusProtocol

/// A signal or gate that waits, or whose outcome or early decisions the worker keeps.
public struct HeldSignal: HeldItem {
    /// The kind of list that contains signals and gates.
    public static var kind: ListKind { .signals }

    /// The id of the signal or gate.
    public let id: SignalID
    /// Whether this is a gate or a plain signal; nil if nothing has waited for the signal yet.
    public let type: SignalType?
    /// The signal's state; nil if the client does not know the worker's value, which ``json`` then contains.
    public let state: State?
    /// The run whose action waits or waited for the signal; nil if no run has waited for the signal.
    public let run: RunID?
    /// What the waiting run is about, as its pipeline's title says; nil if the pipeline has none.
    public let title: String?
    /// The id of the action that waits or waited for the signal; nil if no run has waited for the signal.
    public let action: String?
    /// The name of the process that waits or waited for the signal; nil if no process has waited for the signal.
    public let process: String?
    /// When the signal expires, in milliseconds since 1970 by the worker's clock; nil without a deadline, or if the
    /// signal does not wait.
    public let deadlineUnixMilliseconds: Int64?
    /// The rule of a gate; nil for a plain signal, and for a rule with words that this client does not know.
    public let rule: GateRule?
    /// What the principal of this client can do about the gate; nil for a plain signal, for a gate that does not wait,
    /// and if an older worker did not send it.
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
        /// The principal may decide the gate.
        case mayDecide = "may_decide"
        /// The principal has voted, and the gate waits for more votes.
        case voted
        /// The principal may not decide, because of the gate's rule or because a right is missing.
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
        /// The wait ended before a decision came, for instance because the waiting run was cancelled.
        case closed
        /// Only early decisions came: nothing waits for the signal yet.
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
        title = json["title"]?.string
        action = json["action"]?.string
        process = json["process"]?.string
        deadlineUnixMilliseconds = json["deadline_at_ms"]?.integer
        rule = type == .gate ? try? GateRule(json) : nil
        you = json["you"]?.string.flatMap(Standing.init)
        self.json = json
    }
}

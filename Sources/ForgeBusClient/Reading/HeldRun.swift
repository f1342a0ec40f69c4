public import ForgeBusProtocol

/// A run that a worker keeps.
///
/// A list leaves some properties nil; ``BusClient/show(run:patience:)`` returns all that are known. Times are in
/// milliseconds since 1970 by the worker's clock.
public struct HeldRun: HeldItem {
    /// The kind of these items in LIST.
    public static var kind: ListKind { .runs }

    /// The run's id.
    public let id: RunID
    /// The pipeline it runs.
    public let pipeline: PipelineName
    /// Its state, or how it ended; nil for a state that only newer versions know, which ``json`` contains.
    public let state: StateReport.State?
    /// The id of the request that began it.
    public let request: String?
    /// When the worker accepted it.
    public let acceptedUnixMilliseconds: Int64?
    /// When it got its first slot.
    public let beganUnixMilliseconds: Int64?
    /// When it ended.
    public let endedUnixMilliseconds: Int64?
    /// Its deadline.
    public let deadlineUnixMilliseconds: Int64?
    /// The principal that requested it.
    public let principal: String?
    /// Why it ended in this state.
    public let reason: String?
    /// Its waits; empty in a list.
    public let waits: [Wait]
    /// Everything that the worker sent.
    public let json: JSONObject

    /// Something that a run waits for.
    public enum Wait: Hashable, Sendable {
        /// An action waits for a signal or gate, until the deadline.
        case signal(SignalID, action: String, deadlineUnixMilliseconds: Int64?)
        /// An action waits for its next attempt, which is due at this time.
        case retry(action: String, dueUnixMilliseconds: Int64?)
        /// The run is parked at an action, until somebody redrives it.
        case redrive(action: String, reason: String)
        /// A wait that only newer versions know.
        case other(JSONObject)
    }

    /// Reads a run from the worker's JSON.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if a member is missing that each run has.
    public init(_ json: JSONObject) throws(BusError) {
        id = RunID(try json.text("run"))
        pipeline = PipelineName(try json.text("pipeline"))
        state = StateReport.State(rawValue: try json.text("state"))
        request = json["id"]?.string
        acceptedUnixMilliseconds = json["accepted_at_ms"]?.integer
        beganUnixMilliseconds = json["began_at_ms"]?.integer
        endedUnixMilliseconds = json["ended_at_ms"]?.integer
        deadlineUnixMilliseconds = json["deadline_at_ms"]?.integer
        principal = json["principal"]?.string
        reason = json["reason"]?.string
        waits = json["waits"]?.array?.compactMap(\.object).map(Wait.init) ?? []
        self.json = json
    }
}

extension HeldRun.Wait {
    fileprivate init(_ json: JSONObject) {
        let action = json["action"]?.string ?? ""
        switch json["state"]?.string {
        case "waiting":
            let signal = SignalID(json["signal"]?.string ?? "")
            self = .signal(signal, action: action, deadlineUnixMilliseconds: json["deadline_at_ms"]?.integer)
        case "retrying": self = .retry(action: action, dueUnixMilliseconds: json["due_at_ms"]?.integer)
        case "parked": self = .redrive(action: action, reason: json["reason"]?.string ?? "")
        default: self = .other(json)
        }
    }
}

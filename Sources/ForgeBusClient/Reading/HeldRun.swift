public import ForgeBusProtocol

/// A run that a worker keeps.
///
/// What is nil in a list, ``BusClient/show(run:patience:)`` may know. Times are in milliseconds since 1970 by the worker's clock.
public struct HeldRun: HeldItem {
    /// What a list of them is called.
    public static var kind: ListKind { .runs }

    /// The run's id.
    public let id: RunID
    /// The pipeline it runs.
    public let pipeline: PipelineName
    /// How it stands, or how it ended; nil for a word of a newer worker, which ``json`` has.
    public let state: StateReport.State?
    /// The id of the request that began it.
    public let request: String?
    /// When the worker accepted it.
    public let acceptedUnixMilliseconds: Int64?
    /// When it got its first slot.
    public let beganUnixMilliseconds: Int64?
    /// When it ended.
    public let endedUnixMilliseconds: Int64?
    /// When it is over at the latest.
    public let deadlineUnixMilliseconds: Int64?
    /// Who asked for it.
    public let principal: String?
    /// Why it ended so.
    public let reason: String?
    /// What it waits for; empty in a list.
    public let waits: [Wait]
    /// Everything the worker told.
    public let json: JSONObject

    /// What a run waits for.
    public enum Wait: Hashable, Sendable {
        /// An action waits for a signal or gate, at most until then.
        case signal(SignalID, action: String, deadlineUnixMilliseconds: Int64?)
        /// An action is tried again then.
        case retry(action: String, dueUnixMilliseconds: Int64?)
        /// The run is parked at an action, until somebody redrives it.
        case redrive(action: String, reason: String)
        /// Something that a newer worker waits for.
        case other(JSONObject)
    }

    /// Reads what the worker told.
    ///
    /// - Throws: `BusError` with code `bad_answer` where what each of them has is missing.
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

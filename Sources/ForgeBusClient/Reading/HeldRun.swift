public import ForgeBusProtocol

/// A run that a worker keeps.
///
/// In a list, some properties are nil or empty; to get them, call ``BusClient/show(run:patience:)``. Times are in
/// milliseconds since 1970, by the worker's clock.
public struct HeldRun: HeldItem {
    /// The kind of list that contains runs.
    public static var kind: ListKind { .runs }

    /// The run's id.
    public let id: RunID
    /// The name of the run's pipeline.
    public let pipeline: PipelineName
    /// What the run is about, as its pipeline's title says; nil if the pipeline has none.
    public let title: String?
    /// The run's state; nil if the client does not know the worker's value, which ``json`` then contains.
    public let state: StateReport.State?
    /// The id of the RUN request that began the run; nil if the worker did not send it.
    public let request: String?
    /// When the worker accepted the run; nil if the worker did not send the time.
    public let acceptedUnixMilliseconds: Int64?
    /// When the run got its first slot; nil if the run has had no slot yet, and in a list.
    public let beganUnixMilliseconds: Int64?
    /// When the run ended; nil for an unfinished run.
    public let endedUnixMilliseconds: Int64?
    /// The deadline of the run; nil without a deadline, while the run is parked, after the end of the run, and in a
    /// list.
    public let deadlineUnixMilliseconds: Int64?
    /// The principal that requested the run; nil if the worker did not name it.
    public let principal: String?
    /// The id of the action that an unfinished run executes, waits at or is parked at.
    ///
    /// It is nil before the worker has decided which actions the run executes, after the last action, and for a run
    /// that has ended.
    public let action: String?
    /// Why the run is parked, stopping or waiting for another attempt, or why it ended without completing.
    ///
    /// It is nil in every other state. In a list it has at most 256 bytes.
    public let reason: String?
    /// What the run waits for; empty if it waits for nothing or only for a slot, and in a list.
    public let waits: [Wait]
    /// The seeds that the request gave the run, without the secret ones; empty in a list, and if none are kept.
    public let seeds: JSONObject
    /// The outputs of an ended run; empty before the end, in a list, and if one message cannot hold them.
    public let outputs: JSONObject
    /// Everything that the worker sent about the run, such as the questions and votes in `signals`.
    public let json: JSONObject

    /// A reason why a run waits.
    public enum Wait: Hashable, Sendable {
        /// An action waits for a signal or gate; `deadlineUnixMilliseconds` is nil if the signal has no deadline.
        case signal(SignalID, action: String, deadlineUnixMilliseconds: Int64?)
        /// The run waits until `dueUnixMilliseconds`, and then tries this action again.
        case retry(action: String, dueUnixMilliseconds: Int64?)
        /// The run is parked at this action, for this reason, until somebody redrives or cancels it.
        case redrive(action: String, reason: String)
        /// A kind of wait that the client does not know, as the worker sent it.
        case other(JSONObject)
    }

    /// Reads a run that the worker sent.
    ///
    /// - Throws: `BusError` with code `bad_answer` if a required member is missing.
    public init(_ json: JSONObject) throws(BusError) {
        id = RunID(try json.text("run"))
        pipeline = PipelineName(try json.text("pipeline"))
        title = json["title"]?.string
        state = StateReport.State(rawValue: try json.text("state"))
        request = json["id"]?.string
        acceptedUnixMilliseconds = json["accepted_at_ms"]?.integer
        beganUnixMilliseconds = json["began_at_ms"]?.integer
        endedUnixMilliseconds = json["ended_at_ms"]?.integer
        deadlineUnixMilliseconds = json["deadline_at_ms"]?.integer
        principal = json["principal"]?.string
        action = json["action"]?.string
        reason = json["reason"]?.string
        waits = json["waits"]?.array?.compactMap(\.object).map(Wait.init) ?? []
        seeds = json["seeds"]?.object ?? [:]
        outputs = json["outputs"]?.object ?? [:]
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

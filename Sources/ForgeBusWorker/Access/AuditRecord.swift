public import ForgeBusProtocol
public import Logging

/// A function that receives a worker's audit, one record at a time.
///
/// The worker calls the function for each record, in order, after the recorded change is committed. It calls the
/// function on its own thread, so the function must not block: hand the record over and return.
public typealias AuditSink = @Sendable (AuditRecord) -> Void

/// A record of the audit: a decision, another change, or a refused request, with its principal and its request.
///
/// A record contains names, ids and states, never the content of a message.
public struct AuditRecord: Hashable, Sendable {
    /// The recorded event.
    public enum Event: Hashable, Sendable {
        /// A decision on this signal came and got this verdict.
        case decided(Name, outcome: String, verdict: String)
        /// A principal withdrew its early decision or vote on this signal, or tried to.
        ///
        /// `state` is the state in the answer: `withdrawn`, `nothing` or `decided`.
        case withdrawn(Name, state: String)
        /// A request or a publication was refused because this grant is missing, such as `notify on stock.changed`.
        case refused(grant: String)
        /// An unknown key tried to connect; recorded once for each key and policy, for 1,000 keys at most.
        case keyRefused(key: String)
        /// A key that is no longer known sent a message; recorded once for each key and policy, for 1,000 keys at most.
        case keyUnknown(key: String)
        /// A principal cancelled this run; `state` is the run's state after that.
        case cancelled(Name, state: String)
        /// A newer run with the same exclusive key ended this run; the record names the requester of the newer run.
        case superseded(Name, by: Name)
        /// A principal redrove this parked run; `state` is the run's state after that.
        case redriven(Name, state: String)
        /// A principal cancelled this number of runs at once; `filter` is the request's filter.
        case cancelledMany(Int, filter: String)
        /// A principal redrove this number of runs at once; `filter` is the request's filter.
        case redrivenMany(Int, filter: String)
        /// A principal set this screen for the monitors that match the pattern; a nil screen ended their mode.
        case modeSet(monitors: NamePattern, screen: String?)
        /// A principal paused a pipeline or monitor until this time in milliseconds since 1970; nil means until RESUME.
        case paused(PauseSubject, until: Int64?)
        /// A principal resumed a pipeline or monitor; recorded also if it was not paused.
        case resumed(PauseSubject)
        /// A principal requested this ADMIN verb, and the store has performed it.
        case administered(verb: Name)
        /// A new access policy came into force: the digests of the old and the new policy, and the cause of the change.
        case accessReplaced(old: String, new: String, by: String)
        /// The access policy with this digest stays in force, because a new one was invalid.
        case accessKept(digest: String, because: String)
    }

    /// The principal that caused the event; nil if no principal did, or if it is unknown.
    public var principal: String?
    /// The principal that sent the request for ``principal``, such as a gateway; nil if the principal sent it itself.
    public var via: String?
    /// The id of the request that caused the event; nil if no request did.
    public var request: RequestID?
    /// The recorded event.
    public var event: Event

    /// Creates a record of an event.
    public init(_ event: Event, principal: String? = nil, via: String? = nil, request: RequestID? = nil) {
        self.event = event
        self.principal = principal
        self.via = via
        self.request = request
    }
}

extension AuditRecord {
    /// Writes the record to `logger` as one line: a warning for a refusal, a notice for a change.
    public func log(to logger: Logger) {
        guard logger.logLevel <= level else { return }
        var metadata = details
        if let principal { metadata["principal"] = "\(principal)" }
        if let via { metadata["via"] = "\(via)" }
        if let request { metadata["request"] = "\(request)" }
        logger.log(level: level, message, metadata: metadata)
    }

    private var level: Logger.Level {
        switch event {
        case .refused, .keyRefused, .keyUnknown, .accessKept: .warning
        case .decided, .withdrawn, .cancelled, .superseded, .redriven, .cancelledMany, .redrivenMany, .modeSet,
            .paused, .resumed, .administered, .accessReplaced:
            .notice
        }
    }

    private var message: Logger.Message { "audit: \(word.replacing("_", with: " "))\(explanation)" }

    /// What the event's name alone does not say; empty if the name says enough.
    private var explanation: String {
        switch event {
        case .refused: ": a message had no effect, because this grant is missing"
        case .keyRefused:
            ": a new connection was refused, because its key is not in the access policy; to admit the sender, "
                + "add the key"
        case .keyUnknown:
            ": the worker refuses the messages of an open connection, because the key of this connection is no longer "
                + "in the access policy; unless you removed it on purpose, add it again, or let the sender use a key "
                + "that the policy has"
        case .accessKept: ": the new access policy cannot be used, so the current one stays in force"
        case .cancelledMany, .redrivenMany: " runs"
        case .decided, .withdrawn, .cancelled, .superseded, .redriven, .modeSet, .paused, .resumed, .administered,
            .accessReplaced:
            ""
        }
    }

    /// The event's name in audit entries, journal entries and log lines, such as `key_refused`.
    var word: String {
        switch event {
        case .decided: "decided"
        case .withdrawn: "withdrawn"
        case .refused: "refused"
        case .keyRefused: "key_refused"
        case .keyUnknown: "key_unknown"
        case .cancelled: "cancelled"
        case .superseded: "superseded"
        case .redriven: "redriven"
        case .cancelledMany: "cancelled_many"
        case .redrivenMany: "redriven_many"
        case .modeSet: "mode_set"
        case .paused: "paused"
        case .resumed: "resumed"
        case .administered: "administered"
        case .accessReplaced: "access_replaced"
        case .accessKept: "access_kept"
        }
    }

    /// The facts of the event, without the run and the signal: the journal has columns for those.
    var facts: JSONObject {
        switch event {
        case .decided(_, let outcome, let verdict): ["decision": .string(outcome), "verdict": .string(verdict)]
        case .withdrawn(_, let state), .cancelled(_, let state), .redriven(_, let state): ["state": .string(state)]
        case .superseded(_, let newer): ["by": .string(newer.text)]
        case .refused(let grant): ["grant": .string(grant)]
        case .keyRefused(let key), .keyUnknown(let key): ["key": .string(key)]
        case .modeSet(let monitors, let screen):
            [
                "monitors": .string(monitors.text),
                "screen": .string(screen.map { Printable.quoted($0) } ?? "none"),
            ]
        case .paused(let subject, let until):
            until.map { ["subject": .string(subject.text), "until_ms": .integer($0)] }
                ?? ["subject": .string(subject.text)]
        case .resumed(let subject): ["subject": .string(subject.text)]
        case .cancelledMany(let count, let filter), .redrivenMany(let count, let filter):
            ["count": .integer(Int64(count)), "filter": .string(filter)]
        case .administered(let verb): ["verb": .string(verb.text)]
        case .accessReplaced(let old, let new, let by):
            ["by": .string(by), "new": .string(new), "old": .string(old)]
        case .accessKept(let digest, let cause): ["cause": .string(cause), "digest": .string(digest)]
        }
    }

    private var details: Logger.Metadata {
        var details: Logger.Metadata = [:]
        for fact in facts.entries { details[fact.key] = "\(fact.value.string ?? fact.value.description)" }
        if let signal { details["signal"] = "\(signal)" }
        if let run { details["run"] = "\(run)" }
        return details
    }

    /// The run that the record is about; nil if it is about no single run.
    var run: Name? {
        switch event {
        case .cancelled(let run, _), .superseded(let run, _), .redriven(let run, _): run
        case .decided, .withdrawn, .refused, .keyRefused, .keyUnknown, .cancelledMany, .redrivenMany, .modeSet,
            .paused, .resumed, .administered, .accessReplaced, .accessKept:
            nil
        }
    }

    /// The monitor that the record is about; nil if it is about no single monitor.
    var monitor: Name? {
        switch event {
        case .paused(let subject, _), .resumed(let subject): subject.kind == .monitor ? subject.name : nil
        case .decided, .withdrawn, .refused, .keyRefused, .keyUnknown, .cancelled, .superseded, .redriven,
            .cancelledMany, .redrivenMany, .modeSet, .administered, .accessReplaced, .accessKept:
            nil
        }
    }

    /// The signal that the record is about; nil if it is about no signal.
    var signal: Name? {
        switch event {
        case .decided(let signal, _, _), .withdrawn(let signal, _): signal
        case .refused, .keyRefused, .keyUnknown, .cancelled, .superseded, .redriven, .cancelledMany, .redrivenMany,
            .modeSet, .paused, .resumed, .administered, .accessReplaced, .accessKept:
            nil
        }
    }
}

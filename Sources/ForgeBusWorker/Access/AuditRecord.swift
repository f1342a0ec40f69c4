public import ForgeBusProtocol
public import Logging

/// A function that receives a worker's audit: called for each record, in order, after the recorded change is committed.
///
/// The worker calls it on its own thread, so the function must not block: hand the record over and return.
public typealias AuditSink = @Sendable (AuditRecord) -> Void

/// A record of the audit: a decision, another change, or a refused attempt, with its principal and its request.
///
/// A record contains names, ids and states, never the content of a message.
public struct AuditRecord: Hashable, Sendable {
    /// The recorded event.
    public enum Event: Hashable, Sendable {
        /// A decision on this signal came and got this verdict.
        case decided(Name, outcome: String, verdict: String)
        /// A principal took back its early decision on this signal, or had none; `state` is the answer's word.
        case withdrawn(Name, state: String)
        /// A request or a publication was refused because this grant is missing, such as `notify on stock.changed`.
        case refused(grant: String)
        /// An unknown key tried to connect; recorded once for each key and policy, for 1,000 keys at most.
        case keyRefused(key: String)
        /// A key that is no longer known sent a message; recorded once for each key and policy, for 1,000 keys at most.
        case keyUnknown(key: String)
        /// A principal cancelled this run; `state` is the run's state after that.
        case cancelled(Name, state: String)
        /// A principal redrove this parked run; `state` is the run's state after that.
        case redriven(Name, state: String)
        /// A principal cancelled this number of runs at once; `filter` is the request's filter.
        case cancelledMany(Int, filter: String)
        /// A principal redrove this number of runs at once; `filter` is the request's filter.
        case redrivenMany(Int, filter: String)
        /// A principal set this screen for the monitors that match the pattern; a nil screen ended their mode.
        case modeSet(monitors: NamePattern, screen: String?)
        /// A principal had the store perform this ADMIN verb.
        case administered(verb: Name)
        /// A new access policy came into force: the digests of the old and the new policy, and the cause of the change.
        case accessReplaced(old: String, new: String, by: String)
        /// The access policy with this digest stays in force, because a new one was invalid.
        case accessKept(digest: String, because: String)
    }

    /// The principal that caused the event; nil if it is unknown.
    public var principal: String?
    /// The id of the request that caused the event; nil if no request did.
    public var request: RequestID?
    /// The recorded event.
    public var event: Event

    /// Creates a record of an event.
    public init(_ event: Event, principal: String? = nil, request: RequestID? = nil) {
        self.event = event
        self.principal = principal
        self.request = request
    }
}

extension AuditRecord {
    /// Writes the record to `logger` as one line: a warning for a refusal, a notice for a change.
    public func log(to logger: Logger) {
        guard logger.logLevel <= level else { return }
        var metadata = details
        if let principal { metadata["principal"] = "\(principal)" }
        if let request { metadata["request"] = "\(request)" }
        logger.log(level: level, message, metadata: metadata)
    }

    private var level: Logger.Level {
        switch event {
        case .refused, .keyRefused, .keyUnknown, .accessKept: .warning
        case .decided, .withdrawn, .cancelled, .redriven, .cancelledMany, .redrivenMany, .modeSet, .administered,
            .accessReplaced:
            .notice
        }
    }

    private var message: Logger.Message { "audit: \(word.replacing("_", with: " "))" }

    /// The word for the event in the journal.
    var word: String {
        switch event {
        case .decided: "decided"
        case .withdrawn: "withdrawn"
        case .refused: "refused"
        case .keyRefused: "key_refused"
        case .keyUnknown: "key_unknown"
        case .cancelled: "cancelled"
        case .redriven: "redriven"
        case .cancelledMany: "cancelled_many"
        case .redrivenMany: "redriven_many"
        case .modeSet: "mode_set"
        case .administered: "administered"
        case .accessReplaced: "access_replaced"
        case .accessKept: "access_kept"
        }
    }

    /// The details for the journal, without the names that have columns of their own.
    var journalDetails: JSONObject {
        var object = JSONObject()
        for (key, value) in details.sorted(by: { $0.key < $1.key }) where key != "signal" && key != "run" {
            object[key] = .string("\(value)")
        }
        return object
    }

    private var details: Logger.Metadata {
        switch event {
        case .decided(let signal, let outcome, let verdict):
            ["signal": "\(signal)", "decision": "\(outcome)", "verdict": "\(verdict)"]
        case .withdrawn(let signal, let state): ["signal": "\(signal)", "state": "\(state)"]
        case .refused(let grant): ["grant": "\(grant)"]
        case .keyRefused(let key), .keyUnknown(let key): ["key": "\(key)"]
        case .cancelled(let run, let state), .redriven(let run, let state): ["run": "\(run)", "state": "\(state)"]
        case .cancelledMany(let count, let filter), .redrivenMany(let count, let filter):
            ["count": "\(count)", "filter": "\(filter)"]
        case .modeSet(let monitors, let screen):
            ["monitors": "\(monitors)", "screen": "\(screen.map(Printable.quoted) ?? "none")"]
        case .administered(let verb): ["verb": "\(verb)"]
        case .accessReplaced(let old, let new, let by): ["old": "\(old)", "new": "\(new)", "by": "\(by)"]
        case .accessKept(let digest, let cause): ["digest": "\(digest)", "cause": "\(cause)"]
        }
    }
}

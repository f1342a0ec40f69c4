public import ForgeBusProtocol
public import Logging

/// Where a worker's audit goes: called for each record, in order, after what it tells of is committed.
///
/// Called on the worker's thread, so it must not block: hand the record over and return.
public typealias AuditSink = @Sendable (AuditRecord) -> Void

/// Something that somebody decided, or tried to and may not: who, under which request, and what became of it.
///
/// Names, ids and states only, never what a message holds.
public struct AuditRecord: Hashable, Sendable {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// A decision was taken in, and this became of it.
        case decided(SignalID, outcome: String, verdict: String)
        /// A request, or something published, was refused for want of this grant, such as `notify on stock.changed`.
        case refused(grant: String)
        /// A key that stands for nobody wanted to connect; told once for each key and policy, for 1,000 of them.
        case keyRefused(key: String)
        /// A key that stands for nobody any more sent a message; told once for each key and policy, for 1,000 of them.
        case keyUnknown(key: String)
        /// A run is to end before its time; `state` is what it came to.
        case cancelled(RunID, state: String)
        /// A parked run goes on.
        case redriven(RunID, state: String)
        /// A screen was said to be showing to so many monitors; nil for none any more.
        case modeSet(monitors: NamePattern, screen: String?)
        /// An operator did something.
        case administered(verb: Name)
        /// Another access policy holds: both by their digests, and what brought it.
        case accessReplaced(old: String, new: String, by: String)
        /// The access policy of this digest goes on to hold, because another was bad.
        case accessKept(digest: String, because: String)
    }

    /// Who; nil where nobody is known.
    public var principal: String?
    /// The request's id; nil where it was none.
    public var request: RequestID?
    /// What happened.
    public var event: Event

    /// Something that happened.
    public init(_ event: Event, principal: String? = nil, request: RequestID? = nil) {
        self.event = event
        self.principal = principal
        self.request = request
    }
}

extension AuditRecord {
    /// Writes the record as one line: a warning for what was refused, a notice for what was done.
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
        case .decided, .cancelled, .redriven, .modeSet, .administered, .accessReplaced: .notice
        }
    }

    private var message: Logger.Message { "audit: \(word.replacing("_", with: " "))" }

    /// What happened, as the journal calls it.
    var word: String {
        switch event {
        case .decided: "decided"
        case .refused: "refused"
        case .keyRefused: "key_refused"
        case .keyUnknown: "key_unknown"
        case .cancelled: "cancelled"
        case .redriven: "redriven"
        case .modeSet: "mode_set"
        case .administered: "administered"
        case .accessReplaced: "access_replaced"
        case .accessKept: "access_kept"
        }
    }

    /// What the journal keeps of it beside the names that stand in columns of their own.
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
        case .refused(let grant): ["grant": "\(grant)"]
        case .keyRefused(let key), .keyUnknown(let key): ["key": "\(key)"]
        case .cancelled(let run, let state), .redriven(let run, let state): ["run": "\(run)", "state": "\(state)"]
        case .modeSet(let monitors, let screen):
            ["monitors": "\(monitors)", "screen": "\(screen.map(Printable.quoted) ?? "none")"]
        case .administered(let verb): ["verb": "\(verb)"]
        case .accessReplaced(let old, let new, let by): ["old": "\(old)", "new": "\(new)", "by": "\(by)"]
        case .accessKept(let digest, let cause): ["digest": "\(digest)", "cause": "\(cause)"]
        }
    }
}

public import ForgeBusProtocol

/// How a gate ended; this is not a Boolean, so that nobody mistakes a rejection for an approval.
public enum GateDecision: Hashable, Sendable {
    /// A principal approved, with this value; `null` if no value was sent.
    case approved(JSONValue)
    /// A principal rejected, with this reason, which may be empty.
    case rejected(reason: String)
    /// The deadline passed before a decision came.
    case expired
    /// The gate was closed without a decision, for instance because its run was cancelled, timed out or ended, or
    /// because the worker stopped.
    case closed(why: String)

    /// The word that records and events use.
    var word: String {
        switch self {
        case .approved: "approved"
        case .rejected: "rejected"
        case .expired: "expired"
        case .closed: "closed"
        }
    }
}

/// Identifies one wait in the worker, so that the core can resume its waiter.
struct WaiterID: Hashable, Sendable {
    let number: UInt64
}

/// The owner of a signal: an action of a run, or other code in the worker's process, identified by a name.
enum SignalOwner: Hashable, Sendable {
    case action(Name, String)
    case process(String)

    /// The owner's name in records and pages.
    var label: String {
        switch self {
        case .action(let run, let action): "\(run)/\(action)"
        case .process(let name): name
        }
    }

    /// The owner, for a sentence.
    var text: String {
        switch self {
        case .action(let run, let action): "the action \"\(action)\" of the run \(run)"
        case .process(let name): "code in the worker's process, named \(Printable.quoted(name))"
        }
    }

    /// The run that owns the signal, or nil.
    var run: Name? { if case .action(let run, _) = self { run } else { nil } }

    /// The action that owns the signal, or nil.
    var action: String? { if case .action(_, let action) = self { action } else { nil } }
}

public import ForgeBusProtocol

/// How a gate ended: never plainly, so that nobody takes a no for a yes.
public enum GateDecision: Hashable, Sendable {
    /// Somebody approved, with a value; `null` where none was sent.
    case approved(JSONValue)
    /// Somebody rejected, with a reason.
    case rejected(reason: String)
    /// The deadline passed first.
    case expired
    /// It was withdrawn undecided: the run was cancelled, timed out or ended.
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

/// Names one wait in the worker: whoever waits is resumed by it.
struct WaiterID: Hashable, Sendable {
    let number: UInt64
}

/// Whose a signal is: an action of a run, or something in the process that gave itself a name.
enum SignalOwner: Hashable, Sendable {
    case action(RunID, String)
    case process(String)

    /// How records and pages call the owner.
    var label: String {
        switch self {
        case .action(let run, let action): "\(run)/\(action)"
        case .process(let name): name
        }
    }

    /// The run, where one owns the signal.
    var run: RunID? { if case .action(let run, _) = self { run } else { nil } }

    /// The action, where one owns the signal.
    var action: String? { if case .action(_, let action) = self { action } else { nil } }
}

/// What may decide a signal.
enum SignalKind: String, Sendable {
    /// A plain `CompletionSignal`: it can only be completed.
    case signal
    /// It can be approved and rejected, and it may expire.
    case gate
}

import ForgeBusProtocol
import ForgeBusStore
import ZeroMQ

/// One unfinished run, as the core sees it.
struct Run {
    enum State {
        /// It waits for its first slot.
        case queued
        /// Its actions execute, or wait for signals.
        case running
        /// It is to end as this, and its action has not returned yet.
        case stopping(RunResult.State, reason: String)
    }

    /// A connection that gets the run's answers.
    struct Listener {
        let peer: PeerID
        let isDetached: Bool
        let wantsProgress: Bool
    }

    let id: RunID
    let request: RequestKey
    let pipeline: PipelineName
    let principal: String
    let seeds: JSONObject
    /// What the context begins with: the seeds as Swift values, defaults filled in.
    let values: [String: any Sendable]
    /// Whether the run tells the core of every transition.
    let tellsTransitions: Bool
    var state = State.queued
    var holdsSlot = false
    /// Whether it counts against its principal's bound: it does not while it waits.
    var isActive = true
    var listeners: [Listener]
    var changesTold = 0
    /// The signals it waits for, by waiter.
    var waits: [WaiterID: SignalID] = [:]

    /// What a page says of its state.
    var stateName: String {
        switch state {
        case .queued: "queued"
        case .running: isActive ? "running" : "waiting"
        case .stopping: "stopping"
        }
    }
}

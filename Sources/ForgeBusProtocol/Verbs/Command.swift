extension Request {
    /// The commands of protocol version 1, with one case for each type of request.
    public enum Command: Hashable, Sendable {
        /// Requests a WELCOME, which describes the worker; a client need not send this command.
        case hello
        /// Reports a change, so that the monitors that follow the topic are evaluated again.
        case notify(StateChange)
        /// Runs a pipeline with seeds.
        case run(RunRequest)
        /// Follows a run from now on, until the run ends or ``AttachRequest/patience`` has passed.
        case attach(AttachRequest)
        /// Cancels a run.
        case cancel(CancelRequest)
        /// Resumes a parked run at the action where it stopped.
        case redrive(RedriveRequest)
        /// Cancels or redrives all runs that match a filter, if their number is the number that the sender expects.
        case steer(SteeringRequest)
        /// Decides the signal that waits under an id; if no signal waits yet, the worker can keep the decision.
        case decide(Decision)
        /// Takes back the sender's own early decision, or its own vote.
        case withdraw(WithdrawRequest)
        /// Requests one item of the worker, for instance a run or a signal.
        case show(ShowRequest)
        /// Requests a page of the worker's items of one kind.
        case list(ListRequest)
        /// Requests events from now on, or more events for an existing watch.
        case watch(WatchRequest)
        /// Ends the watch that was started with the same request id.
        case unwatch
        /// Tells monitors which screen is showing.
        case mode(ModeRequest)
        /// Pauses a pipeline or a monitor, or resumes it.
        case pause(PauseRequest)
        /// Requests an operation for operators; the worker defines which operations exist.
        case admin(AdminRequest)
        /// Requests a PONG, which shows that the worker responds and repeats the body.
        case ping([UInt8])
    }
}

extension Request.Command {
    /// The verbs in the order of `Protocol.md`; a receiver does not know any other verb.
    ///
    /// ``SteeringRequest`` is not in the list, because ``CancelRequest`` and ``RedriveRequest`` read its frames.
    package static let verbs: [any Verb.Type] = [
        HelloRequest.self, StateChange.self, RunRequest.self, AttachRequest.self, CancelRequest.self,
        RedriveRequest.self, Decision.self, WithdrawRequest.self, ShowRequest.self, ListRequest.self, WatchRequest.self,
        UnwatchRequest.self, ModeRequest.self, AdminRequest.self, PingRequest.self, PauseRequest.self,
    ]

    /// Makes a view of the command's verb; only this method switches over all verbs.
    package func view<View: VerbView>() -> View {
        switch self {
        case .hello: View(HelloRequest())
        case .notify(let change): View(change)
        case .run(let request): View(request)
        case .attach(let request): View(request)
        case .cancel(let request): View(request)
        case .redrive(let request): View(request)
        case .steer(let request): View(request)
        case .decide(let decision): View(decision)
        case .withdraw(let request): View(request)
        case .show(let request): View(request)
        case .list(let request): View(request)
        case .watch(let request): View(request)
        case .unwatch: View(UnwatchRequest())
        case .mode(let request): View(request)
        case .pause(let request): View(request)
        case .admin(let request): View(request)
        case .ping(let body): View(PingRequest(body: body))
        }
    }
}

/// A value that can be made from any verb.
///
/// The initializer runs for every message. It is generic, because a parameter of type `any Verb` would box the request.
package protocol VerbView {
    init(_ verb: some Verb)
}

extension Request {
    /// The commands of version 1, a case for each verb; the verb's file contains its details.
    public enum Command: Hashable, Sendable {
        /// Introduces the worker: its name, its protocol versions and its limits; nobody has to send it.
        case hello
        /// Reports a change: the monitors that follow the topic are evaluated again.
        case notify(StateChange)
        /// Runs a pipeline with seeds.
        case run(RunRequest)
        /// Follows a run from now on, to its end.
        case attach(AttachRequest)
        /// Ends a run early.
        case cancel(CancelRequest)
        /// Resumes a parked run, at the action where it stopped.
        case redrive(RedriveRequest)
        /// Decides the signal that waits under an id, or keeps the decision for it.
        case decide(Decision)
        /// Shows one item of the worker.
        case show(ShowRequest)
        /// Lists the worker's items.
        case list(ListRequest)
        /// Sends events from now on, or more events to an existing watch.
        case watch(WatchRequest)
        /// Ends the watch that began with this request's id.
        case unwatch
        /// Tells monitors which screen is showing.
        case mode(ModeRequest)
        /// Carries out an operator's request.
        case admin(AdminRequest)
        /// Gets an answer of the application, with the same body.
        case ping([UInt8])
    }
}

extension Request.Command {
    /// The verbs in the order of `Protocol.md`; verbs outside this list are unknown.
    package static let verbs: [any Verb.Type] = [
        HelloRequest.self, StateChange.self, RunRequest.self, AttachRequest.self, CancelRequest.self,
        RedriveRequest.self, Decision.self, ShowRequest.self, ListRequest.self, WatchRequest.self,
        UnwatchRequest.self, ModeRequest.self, AdminRequest.self, PingRequest.self,
    ]

    /// A view of the verb; the only switch over all verbs.
    package func view<View: VerbView>() -> View {
        switch self {
        case .hello: View(HelloRequest())
        case .notify(let change): View(change)
        case .run(let request): View(request)
        case .attach(let request): View(request)
        case .cancel(let request): View(request)
        case .redrive(let request): View(request)
        case .decide(let decision): View(decision)
        case .show(let request): View(request)
        case .list(let request): View(request)
        case .watch(let request): View(request)
        case .unwatch: View(UnwatchRequest())
        case .mode(let request): View(request)
        case .admin(let request): View(request)
        case .ping(let body): View(PingRequest(body: body))
        }
    }
}

/// A value made from any verb.
///
/// Generic, so that no request is boxed: every message passes here.
package protocol VerbView {
    init(_ verb: some Verb)
}

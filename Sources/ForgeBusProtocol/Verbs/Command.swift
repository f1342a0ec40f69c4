extension Request {
    /// The commands of version 1, a line for each verb; the rest of it is in the verb's file.
    public enum Command: Hashable, Sendable {
        /// Say who you are, what you speak and what your limits are; nobody has to ask.
        case hello
        /// Something changed: re-evaluate the monitors that follow the topic.
        case notify(StateChange)
        /// Run a pipeline with these seeds.
        case run(RunRequest)
        /// Tell of a run from now on, and how it ends.
        case attach(AttachRequest)
        /// End a run before its time.
        case cancel(CancelRequest)
        /// Go on with a parked run, at the action it stopped at.
        case redrive(RedriveRequest)
        /// Decide the signal that waits under an id, or keep the decision for it.
        case decide(Decision)
        /// Show one thing the worker holds.
        case show(ShowRequest)
        /// List what the worker holds.
        case list(ListRequest)
        /// Tell what happens from now on, or go on telling it.
        case watch(WatchRequest)
        /// Stop telling: the watch that began under this request's id.
        case unwatch
        /// Say which screen is showing to monitors.
        case mode(ModeRequest)
        /// Do what an operator asks.
        case admin(AdminRequest)
        /// Answer, application to application; the body comes back.
        case ping([UInt8])
    }
}

extension Request.Command {
    /// The verbs in the order of `Protocol.md`; what is not in this list is not read.
    package static let verbs: [any Verb.Type] = [
        HelloRequest.self, StateChange.self, RunRequest.self, AttachRequest.self, CancelRequest.self,
        RedriveRequest.self, Decision.self, ShowRequest.self, ListRequest.self, WatchRequest.self,
        UnwatchRequest.self, ModeRequest.self, AdminRequest.self, PingRequest.self,
    ]

    /// What somebody wants to know of the verb; the one switch over all of them.
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

/// What can be made of a verb, whichever it is.
///
/// Generic, so that no request is boxed: each message passes here.
package protocol VerbView {
    init(_ verb: some Verb)
}

import ForgeBusProtocol

/// The listeners of a run, and the number of the run's last change.
struct RunAudience {
    /// A caller that gets the run's answers.
    struct Listener {
        /// The listener's number in this run; a caller that sends the same request again gets a new number.
        var number = 0
        let caller: Caller
        /// The request to answer: the one that began the run, or one that attached to it.
        let request: RequestID
        let isDetached: Bool
        let wantsProgress: Bool
        let principal: AccessPolicy.Principal
        /// Whether the listener came with ATTACH and not with RUN.
        ///
        /// When the patience of a listener with ATTACH ends, or when it is removed for a new listener, it gets the
        /// run's current state and not the result.
        var hasAttached = false
    }

    private(set) var listeners: [Listener]
    /// Whether the run's task reports every transition.
    private(set) var followsTransitions: Bool
    private var lastListener = 0
    private(set) var changesTold: Int

    init(_ listeners: [Listener] = [], followsTransitions: Bool, changesTold: Int = 0) {
        self.listeners = listeners
        self.followsTransitions = followsTransitions
        self.changesTold = changesTold
    }

    /// Adds a listener, and removes another one if the run has `capacity` listeners already.
    ///
    /// The new listener replaces a listener with the same caller and request. To make room, the method removes a
    /// detached listener, which gets no answers anyway. If no listener is detached, it removes the oldest listener that
    /// came with ATTACH, and if there is no such listener, the oldest of all. Listeners that came with RUN are removed
    /// last, because they would wait for the result for ever.
    ///
    /// - Returns: The listener's number, unique among the run's listeners, and the listener that was removed to make
    ///   room.
    mutating func attach(_ listener: Listener, atMost capacity: Int) -> (number: Int, letGo: Listener?) {
        listeners.removeAll { $0.caller == listener.caller && $0.request == listener.request }
        var letGo: Listener?
        if listeners.count >= max(1, capacity) {
            let place = listeners.firstIndex(where: \.isDetached) ?? listeners.firstIndex(where: \.hasAttached)
            letGo = listeners.remove(at: place ?? listeners.startIndex)
        }
        lastListener += 1
        var listener = listener
        listener.number = lastListener
        listeners.append(listener)
        return (lastListener, letGo)
    }

    /// Makes the run's task report every transition from now on.
    ///
    /// - Returns: Whether the task did not report them before.
    mutating func followTransitions() -> Bool {
        defer { followsTransitions = true }
        return !followsTransitions
    }

    /// Numbers a change of the run, and selects the listeners that get it.
    mutating func numberNextChange(toldToAll: Bool) -> (number: Int, audience: [Listener]) {
        changesTold += 1
        return (changesTold, listeners.filter { !$0.isDetached && (toldToAll || $0.wantsProgress) })
    }

    /// The listener with this number; nil if the listener was removed.
    func listener(_ number: Int) -> Listener? { listeners.first { $0.number == number } }

    /// Removes the listener with this number.
    mutating func detach(_ number: Int) { listeners.removeAll { $0.number == number } }

    /// Removes the listeners for which `isGone` returns true.
    mutating func detachAll(where isGone: (Listener) -> Bool) { listeners.removeAll(where: isGone) }

    /// Whether at least one listener gets each step of the run.
    var isFollowed: Bool { listeners.contains { $0.wantsProgress && !$0.isDetached } }
}

extension RunAudience.Listener {
    init(_ received: Received, isDetached: Bool, wantsProgress: Bool, hasAttached: Bool = false) {
        self.init(
            caller: received.caller,
            request: received.request.id,
            isDetached: isDetached,
            wantsProgress: wantsProgress,
            principal: received.principal,
            hasAttached: hasAttached
        )
    }
}

extension AccessPolicy {
    /// The error that ends a listener's wait for a run; nil if the listener may wait on.
    ///
    /// The principal that requested the run needs no grant to wait for its result.
    func endOfWait(of listener: RunAudience.Listener, for run: RunMachine) -> BusError? {
        let principal = listener.principal
        if let error = dismissal(of: principal) { return error }
        let known = KnownRun(owner: run.principal, pipeline: run.pipeline)
        if listener.hasAttached {
            return ruling(for: principal, .read, on: run.id, known: known).refusal(of: principal, isOfRun: true)
        }
        let own = mayBeActedFor(principal) && knows(principal) ? Ruling.allowed : .missing(.run, .name(run.pipeline))
        return (refusal(of: .run, to: principal) ?? own).refusal(of: principal)
    }
}

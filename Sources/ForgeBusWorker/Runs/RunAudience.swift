import ForgeBusProtocol

/// Who hears of a run, and what was told of it.
struct RunAudience {
    /// Somebody who gets the run's answers.
    struct Listener {
        /// Which of the run's listeners it is: one that asks again under the same id is another one.
        var number = 0
        let caller: Caller
        /// The request that is answered: the one that began the run, or one that attached to it.
        let request: RequestID
        let isDetached: Bool
        let wantsProgress: Bool
        let principal: AccessPolicy.Principal
        /// Whether it asked about the run, and not for it: then it can be told how the run stands, and no more.
        var hasAttached = false
    }

    private(set) var listeners: [Listener]
    /// Whether the run's task tells of every transition.
    private(set) var followsTransitions: Bool
    private var lastListener = 0
    private(set) var changesTold: Int

    init(_ listeners: [Listener] = [], followsTransitions: Bool, changesTold: Int = 0) {
        self.listeners = listeners
        self.followsTransitions = followsTransitions
        self.changesTold = changesTold
    }

    /// Somebody gets the answers from now on; of too many, one makes room.
    ///
    /// That is one that gets none anyway, else the oldest that attached: the caller that asked for the run counts on its
    /// result, and would wait for it for ever.
    ///
    /// - Returns: The listener's number, which no other listener of the run ever has, and who gets the answers no longer.
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

    /// From now on the run's task is to tell of every transition.
    ///
    /// - Returns: Whether it did not before.
    mutating func followTransitions() -> Bool {
        defer { followsTransitions = true }
        return !followsTransitions
    }

    /// Numbers a change of the run, and says who is told of it.
    mutating func numberNextChange(toldToAll: Bool) -> (number: Int, audience: [Listener]) {
        changesTold += 1
        return (changesTold, listeners.filter { !$0.isDetached && (toldToAll || $0.wantsProgress) })
    }

    /// The listener of that number, if it still gets the answers.
    func listener(_ number: Int) -> Listener? { listeners.first { $0.number == number } }

    /// The listener of that number does not get the answers any more.
    mutating func detach(_ number: Int) { listeners.removeAll { $0.number == number } }

    /// These do not get the answers any more.
    mutating func detachAll(where isGone: (Listener) -> Bool) { listeners.removeAll(where: isGone) }

    /// Whether somebody is told each step of the run.
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

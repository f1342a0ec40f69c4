/// Word of a run is asked for, by somebody who may not have begun it.
public struct AttachRequest: Hashable, Sendable {
    /// Which run.
    public var run: RunID
    /// After how long its state comes instead, if it has not ended; zero asks for the state now, nil waits for the end.
    public var patience: Duration?
    /// Whether every action's start and end is told by PROGRESS.
    public var wantsProgress: Bool

    /// Word of `run`.
    public init(run: RunID, patience: Duration? = nil, wantsProgress: Bool = false) {
        self.run = run
        self.patience = patience
        self.wantsProgress = wantsProgress
    }
}

/// A run is to end before its time.
public struct CancelRequest: Hashable, Sendable {
    /// Which run.
    public var run: RunID
    /// Why, for people; empty for none.
    public var reason: String
    /// The least durability the sender takes; nil takes the worker's.
    public var durability: Durability?

    /// The end of `run`.
    public init(run: RunID, reason: String = "", durability: Durability? = nil) {
        self.run = run
        self.reason = reason
        self.durability = durability
    }
}

/// A parked run is to go on, at the action it stopped at.
public struct RedriveRequest: Hashable, Sendable {
    /// Which run.
    public var run: RunID
    /// The least durability the sender takes; nil takes the worker's.
    public var durability: Durability?

    /// Another try for `run`.
    public init(run: RunID, durability: Durability? = nil) {
        self.run = run
        self.durability = durability
    }
}

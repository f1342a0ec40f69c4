import ForgeBusProtocol

/// The latest ended cycle of a monitor, as its lane remembers it.
struct EndedCycle: Equatable {
    /// When the lane ordered the cycle, which is never later than the evaluation of the first condition.
    let ordered: Moment
    /// How long the cycle took, without the time for which the monitor held it back.
    let took: Duration
    /// How the cycle ended.
    let state: LastCycle.State

    /// The cycle as an item tells it, with its age at the time `now`.
    func item(at now: Moment) -> LastCycle { LastCycle(beganAgo: now.since(ordered), took: took, state: state) }
}

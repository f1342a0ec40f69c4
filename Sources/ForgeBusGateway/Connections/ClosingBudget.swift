/// How many connections may give way to new ones: to close one that is served costs more than never to serve another.
struct ClosingBudget: Sendable {
    /// The most connections that give way within a second.
    static let perSecond = 500

    private var rest = Double(perSecond)
    private var latest: ContinuousClock.Instant?

    /// Whether one more connection may give way now.
    mutating func hasRest(at now: ContinuousClock.Instant) -> Bool {
        if let latest {
            rest = min(Double(Self.perSecond), rest + (now - latest) / .seconds(1) * Double(Self.perSecond))
        }
        latest = now
        return rest >= 1
    }

    /// Counts one more connection; false if it may not give way now.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        guard hasRest(at: now) else { return false }
        rest -= 1
        return true
    }
}

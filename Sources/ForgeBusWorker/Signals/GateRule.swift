/// Who may decide a gate, beyond the right to complete its signal.
///
/// A rule tells principals apart, so it needs keys: a worker without them refuses to serve a gate that has one.
public struct GateRule: Hashable, Sendable {
    /// The principals that may decide it; nil for whoever has the right to complete the signal.
    public var allowed: Set<String>?
    /// Whether the principal that requested the run may decide it.
    public var requesterMayDecide: Bool

    /// Whoever has the right to complete the signal may decide it.
    public static let anybody = GateRule()

    /// A rule.
    ///
    /// - Parameters:
    ///   - allowed: The principals that may decide; nil for whoever has the right to complete the signal.
    ///   - requesterMayDecide: Whether the principal that requested the run may.
    public init(allowed: Set<String>? = nil, requesterMayDecide: Bool = true) {
        self.allowed = allowed
        self.requesterMayDecide = requesterMayDecide
    }

    /// Whether it tells principals apart.
    var needsIdentities: Bool { allowed != nil || !requesterMayDecide }

    /// Why `principal` may not decide; nil if it may.
    ///
    /// - Parameters:
    ///   - principal: Who decides.
    ///   - requester: Who requested the run that waits; nil for a gate outside a run.
    /// - Returns: The reason, one sentence.
    func objection(to principal: String, requester: String?) -> String? {
        if let allowed, !allowed.contains(principal) { return "\(principal) is not one of those who may decide it." }
        if !requesterMayDecide, principal == requester {
            return "\(principal) requested the run, and may not decide it."
        }
        return nil
    }
}

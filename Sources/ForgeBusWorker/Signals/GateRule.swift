/// Who may decide a gate, of those with the right to complete its signal.
///
/// Any rule but ``anybody`` needs keys: a worker without keys refuses to serve a gate with such a rule.
public struct GateRule: Hashable, Sendable {
    /// The principals that may decide it; nil for everybody with the right to complete the signal.
    public var allowed: Set<String>?
    /// Whether the principal that requested the run may decide it.
    public var requesterMayDecide: Bool

    /// Everybody with the right to complete the signal may decide it.
    public static let anybody = GateRule()

    /// A rule.
    ///
    /// - Parameters:
    ///   - allowed: The principals that may decide; nil for everybody with the right to complete the signal.
    ///   - requesterMayDecide: Whether the principal that requested the run may.
    public init(allowed: Set<String>? = nil, requesterMayDecide: Bool = true) {
        self.allowed = allowed
        self.requesterMayDecide = requesterMayDecide
    }

    /// Whether it needs keys.
    var needsIdentities: Bool { allowed != nil || !requesterMayDecide }

    /// Why `principal` may not decide; nil if it may.
    ///
    /// - Parameters:
    ///   - principal: The sender of the decision.
    ///   - requester: The requester of the waiting run; nil for a gate outside a run.
    /// - Returns: The reason, one sentence.
    func objection(to principal: String, requester: String?) -> String? {
        if let allowed, !allowed.contains(principal) { return "\(principal) is not one of those who may decide it." }
        if !requesterMayDecide, principal == requester {
            return "\(principal) requested the run, and may not decide it."
        }
        return nil
    }
}

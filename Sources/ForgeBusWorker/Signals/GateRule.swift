/// A rule about who may decide a gate, of the principals with the right to complete its signal.
///
/// Any rule but ``anybody`` needs keys: a worker without keys refuses to serve a gate with such a rule.
public struct GateRule: Hashable, Sendable {
    /// The principals that may decide the gate; nil for everybody with the right to complete its signal.
    public var allowed: Set<String>?
    /// Whether the principal that requested the run may decide the gate.
    public var requesterMayDecide: Bool

    /// Everybody with the right to complete the signal may decide it.
    public static let anybody = GateRule()

    /// Creates a rule; without arguments, everybody with the right to complete the signal may decide.
    ///
    /// - Parameters:
    ///   - allowed: The principals that may decide; nil for everybody with the right to complete the signal.
    ///   - requesterMayDecide: Whether the principal that requested the run may decide.
    public init(allowed: Set<String>? = nil, requesterMayDecide: Bool = true) {
        self.allowed = allowed
        self.requesterMayDecide = requesterMayDecide
    }

    /// Whether the rule needs a worker with keys.
    var needsIdentities: Bool { allowed != nil || !requesterMayDecide }

    /// Why `principal` may not decide; nil if it may.
    ///
    /// - Parameters:
    ///   - principal: The sender of the decision.
    ///   - requester: The requester of the waiting run; nil for a gate outside a run.
    /// - Returns: The reason, one sentence.
    func objection(to principal: String, requester: String?) -> String? {
        if let allowed, !allowed.contains(principal) {
            return "\(principal) is not one of the principals that may decide this gate."
        }
        if !requesterMayDecide, principal == requester {
            return "\(principal) requested the run, so it may not decide this gate."
        }
        return nil
    }
}

import ForgeBusProtocol

extension VerdictReport {
    /// The error of a decision that did not do what its sender wanted; nil for any other verdict.
    var refusal: BusError? {
        switch verdict {
        case .delivered, .counted, .buffered, .duplicate: nil
        case .conflict(let standing): Errors.decisionConflict(self, standing)
        case .expired: Errors.decisionExpired(self)
        case .closed(let why): Errors.decisionClosed(self, why: why)
        case .forbidden(let why): Errors.decisionForbidden(self, why: why)
        case .unknown(let why): Errors.decisionUnknown(self, why: why)
        }
    }
}

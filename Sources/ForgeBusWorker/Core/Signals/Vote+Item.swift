import ForgeBusProtocol

/// Decisions and votes as JSON, in the answer to SHOW and in the history.
extension Decision.Outcome {
    /// The value of an approval or the reason of a rejection; empty if none was sent, or if it is too large to show.
    var shown: JSONObject {
        guard sizeInBytes <= Self.shownSizeInBytes else { return [:] }
        let shown: JSONObject =
            switch GateDecision(self) {
            case .approved(let value): value == .null ? [:] : ["value": value]
            case .rejected(let reason): reason.isEmpty ? [:] : ["reason": .string(reason)]
            case .expired, .closed: [:]
            }
        return JSONValue.object(shown).isShowable ? shown : [:]
    }

    /// The most bytes of a value or reason that is shown; both the sent bytes and the encoded JSON are measured.
    fileprivate static let shownSizeInBytes = 4_096
}

extension JSONValue {
    /// Whether the value is small enough to be shown with each vote of a gate: one frame must hold all these votes.
    fileprivate var isShowable: Bool {
        extent.depth <= 8 && extent.keys <= 17 && encoded.count <= Decision.Outcome.shownSizeInBytes + 16
    }
}

extension Verdict.Standing {
    /// The vote with its value or reason; `outcome` is nil if the value or reason is no longer kept.
    func item(_ outcome: Decision.Outcome?) -> VoteItem {
        var vote = VoteItem()
        (vote.principal, vote.decision, vote.unixMilliseconds, vote.via) = (principal, decision, unixMilliseconds, via)
        vote.json.add(outcome?.shown)
        return vote
    }
}

import ForgeBusProtocol
import ForgeBusStore

extension SignalKind {
    /// Whether a signal of this kind can have this decision.
    func takes(_ outcome: Decision.Outcome) -> Bool {
        switch (self, outcome) {
        case (.gate, _), (.signal, .approved): true
        case (.signal, .rejected): false
        }
    }
}

extension GateDecision {
    /// The decision as its waiter gets it; the decoder of requests has checked that the value is JSON.
    init(_ outcome: Decision.Outcome) {
        switch outcome {
        case .approved(let value):
            self = .approved(value.isEmpty ? .null : (try? JSONValue(parsing: value[...])) ?? .null)
        case .rejected(let reason): self = .rejected(reason: reason)
        }
    }
}

extension Decision.Outcome {
    /// Whether both are the same decision: a missing value equals `null`; other values are compared byte for byte.
    func isSame(as other: Self) -> Bool {
        guard case .approved(let own) = self, case .approved(let others) = other else { return self == other }
        return own == others || Self.isNull(own) && Self.isNull(others)
    }

    private static func isNull(_ value: [UInt8]) -> Bool { value.isEmpty || value == Array("null".utf8) }

    /// The size of the value or the reason.
    var sizeInBytes: Int {
        switch self {
        case .approved(let value): value.count
        case .rejected(let reason): reason.utf8.count
        }
    }
}

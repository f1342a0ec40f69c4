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
    /// The decision as its waiter gets it; the codec has proven the value to be JSON.
    init(_ outcome: Decision.Outcome) {
        switch outcome {
        case .approved(let value):
            self = .approved(value.isEmpty ? .null : (try? JSONValue(parsing: value[...])) ?? .null)
        case .rejected(let reason): self = .rejected(reason: reason)
        }
    }
}

extension Decision.Outcome {
    /// Whether both decide the same: no value is `null`, and any other is compared byte for byte.
    func isSame(as other: Self) -> Bool {
        guard case .approved(let own) = self, case .approved(let others) = other else { return self == other }
        return own == others || Self.isNull(own) && Self.isNull(others)
    }

    private static func isNull(_ value: [UInt8]) -> Bool { value.isEmpty || value == Array("null".utf8) }

    /// How much room its value or reason takes.
    var sizeInBytes: Int {
        switch self {
        case .approved(let value): value.count
        case .rejected(let reason): reason.utf8.count
        }
    }
}

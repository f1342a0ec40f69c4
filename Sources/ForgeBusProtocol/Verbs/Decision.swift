/// A decision about a signal or gate.
public struct Decision: Hashable, Sendable {
    /// The id under which the signal waits, or will wait.
    public var signal: Name
    /// The outcome: yes or no.
    public var outcome: Outcome
    /// How long to keep the decision if nobody waits yet; zero does not keep it.
    public var keep: Duration
    /// The least durability the sender accepts; nil accepts the worker's.
    public var durability: Durability?

    /// The two outcomes.
    public enum Outcome: Hashable, Sendable {
        /// COMPLETE: the value as JSON bytes, empty for none.
        case approved(value: [UInt8])
        /// REJECT: the reason, empty for none.
        case rejected(reason: String)

        /// Compares bytes: a verdict distinguishes texts that are equivalent in Unicode.
        public static func == (a: Outcome, b: Outcome) -> Bool {
            switch (a, b) {
            case (.approved(let a), .approved(let b)): a == b
            case (.rejected(let a), .rejected(let b)): a.utf8.elementsEqual(b.utf8)
            case (.approved, .rejected), (.rejected, .approved): false
            }
        }

        /// Hashes the parts that `==` compares.
        public func hash(into hasher: inout Hasher) {
            switch self {
            case .approved(let value): hasher.combine(value)
            case .rejected(let reason): for byte in reason.utf8 { hasher.combine(byte) }
            }
        }

        /// Which of the two it is.
        public var kind: Kind {
            switch self {
            case .approved: .approved
            case .rejected: .rejected
            }
        }

        /// The word answers use: `approved` or `rejected`.
        public var word: String { kind.rawValue }
    }

    /// Yes or no, without what came with it.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// COMPLETE.
        case approved
        /// REJECT.
        case rejected
    }

    /// Makes a decision about `signal`.
    public init(
        signal: Name,
        outcome: Outcome,
        keep: Duration = WireLimits.defaultKeep,
        durability: Durability? = nil
    ) {
        self.signal = signal
        self.outcome = outcome
        self.keep = keep
        self.durability = durability
    }
}

/// COMPLETE approves and REJECT rejects.
extension Decision: Verb {
    package static let words = ["COMPLETE", "REJECT"]
    package static let attributes = ["keep_ms", "durability"]
    package static let right: Right? = .complete
    package static let isLedgered = true

    package init(_ signal: Name, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        let keep = try attributes.duration("keep_ms", atLeast: 0, atMost: WireLimits.keep)
        let durability: Durability? = try attributes.choice("durability")
        self.init(
            signal: signal,
            outcome: body.word == "REJECT"
                ? .rejected(reason: try body.reason()) : .approved(value: try body.json()),
            keep: keep ?? WireLimits.defaultKeep,
            durability: durability
        )
    }

    package var command: Request.Command { .decide(self) }
    package var subject: Name { signal }
    package var content: VerbContent? { VerbContent(time: keep, durability: durability) }

    package var word: String {
        switch outcome {
        case .approved: "COMPLETE"
        case .rejected: "REJECT"
        }
    }

    package var body: [UInt8] {
        switch outcome {
        case .approved(let value): value
        case .rejected(let reason): reason.reasonBody
        }
    }

    package func write(to attributes: inout JSONObject) {
        if keep != WireLimits.defaultKeep { attributes["keep_ms"] = keep.json }
        attributes["durability"] = durability?.json
    }
}

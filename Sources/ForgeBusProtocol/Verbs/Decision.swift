/// A decision about a signal or gate.
public struct Decision: Hashable, Sendable {
    /// The id under which the signal waits, or will wait.
    public var signal: Name
    /// Whether the sender approves or rejects, with the value or the reason.
    public var outcome: Outcome
    /// How long the worker keeps the decision if nobody waits under the id yet; zero does not keep it.
    ///
    /// With nil, the worker keeps an approval for ``WireLimits/defaultKeep`` if no gate of its pipelines can have the
    /// id. The worker keeps no other decision with nil: a sender that wants to decide a gate early must give a time.
    public var keep: Duration?
    /// The lowest durability that the sender accepts; nil accepts the worker's default.
    public var durability: Durability?

    /// The two possible outcomes of a decision.
    public enum Outcome: Hashable, Sendable {
        /// The signal is approved with COMPLETE; the value is JSON, or empty if there is no value.
        case approved(value: [UInt8])
        /// The signal is rejected with REJECT; the reason is empty if the sender gives none.
        case rejected(reason: String)

        /// Compares values and reasons byte by byte.
        ///
        /// Two texts that are canonically equivalent in Unicode but have different bytes make different decisions.
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

        /// Whether this outcome is an approval or a rejection.
        public var kind: Kind {
            switch self {
            case .approved: .approved
            case .rejected: .rejected
            }
        }

        /// The word for this outcome in answers: `approved` or `rejected`.
        public var word: String { kind.rawValue }
    }

    /// An approval or a rejection, without its value or reason.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The signal is approved, with COMPLETE.
        case approved
        /// The signal is rejected, with REJECT.
        case rejected
    }

    /// Makes a decision about `signal`.
    public init(
        signal: Name,
        outcome: Outcome,
        keep: Duration? = nil,
        durability: Durability? = nil
    ) {
        self.signal = signal
        self.outcome = outcome
        self.keep = keep
        self.durability = durability
    }
}

/// The command COMPLETE approves, and the command REJECT rejects.
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
            keep: keep,
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
        attributes["keep_ms"] = keep?.json
        attributes["durability"] = durability?.json
    }
}

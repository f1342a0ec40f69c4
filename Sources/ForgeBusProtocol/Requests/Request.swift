/// What a client asks of a worker.
public struct Request: Hashable, Sendable {
    /// The sender's id, kept for every resend.
    public var id: RequestID
    /// What is asked.
    public var command: Command
    /// What the sender calls itself: a label, at most 128 bytes, never an identity.
    public var source: String?
    /// The W3C trace context the request belongs to.
    public var traceparent: String?

    /// A request under a new random id.
    public init(_ command: Command, id: RequestID = .random(), source: String? = nil, traceparent: String? = nil) {
        self.id = id
        self.command = command
        self.source = source
        self.traceparent = traceparent
    }

    /// The commands of version 1.
    public enum Command: Hashable, Sendable {
        /// Something changed: re-evaluate the monitors that follow the topic.
        case notify(StateChange)
        /// Run a pipeline with these seeds.
        case run(RunRequest)
        /// Decide the signal that waits under an id, or keep the decision for it.
        case decide(Decision)
        /// List what the worker holds.
        case list(ListRequest)
        /// Answer, application to application; the body comes back.
        case ping([UInt8])
    }
}

/// Something changed.
public struct StateChange: Hashable, Sendable {
    /// What changed.
    public var topic: Topic
    /// Anything, up to the frame's limit; a hint for people, never the state itself.
    public var body: [UInt8]
    /// Whether one EVALUATED is wanted when the last covering cycle ended.
    public var wantsEvaluation: Bool
    /// After how long EVALUATED comes even if cycles are pending; nil waits for them.
    public var deadline: Duration?
    /// The least durability the sender takes; nil takes the worker's.
    public var durability: Durability?

    /// A notification on `topic`.
    public init(
        topic: Topic,
        body: [UInt8] = [],
        wantsEvaluation: Bool = false,
        deadline: Duration? = nil,
        durability: Durability? = nil
    ) {
        self.topic = topic
        self.body = body
        self.wantsEvaluation = wantsEvaluation
        self.deadline = deadline
        self.durability = durability
    }
}

/// A run of a pipeline is asked for.
public struct RunRequest: Hashable, Sendable {
    /// Which pipeline.
    public var pipeline: PipelineName
    /// What its context begins with.
    public var seeds: JSONObject
    /// Whether answers end at ACCEPTED.
    public var isDetached: Bool
    /// Whether every action's start and end is told by PROGRESS.
    public var wantsProgress: Bool
    /// The longest the whole run may take from acceptance, waits included; nil sets no bound.
    public var deadline: Duration?
    /// The least durability the sender takes; nil takes the worker's.
    public var durability: Durability?

    /// A run of `pipeline`.
    public init(
        pipeline: PipelineName,
        seeds: JSONObject = [:],
        isDetached: Bool = false,
        wantsProgress: Bool = false,
        deadline: Duration? = nil,
        durability: Durability? = nil
    ) {
        self.pipeline = pipeline
        self.seeds = seeds
        self.isDetached = isDetached
        self.wantsProgress = wantsProgress
        self.deadline = deadline
        self.durability = durability
    }
}

/// Somebody decides a signal or gate.
public struct Decision: Hashable, Sendable {
    /// The id under which it waits, or will wait.
    public var signal: SignalID
    /// Yes or no.
    public var outcome: Outcome
    /// How long to keep the decision if nobody waits yet; zero does not keep it.
    public var keep: Duration
    /// The least durability the sender takes; nil takes the worker's.
    public var durability: Durability?

    /// The two decisions a person can take.
    public enum Outcome: Hashable, Sendable {
        /// COMPLETE: the value as JSON bytes, empty for none.
        case approved(value: [UInt8])
        /// REJECT: the reason, empty for none.
        case rejected(reason: String)

        /// The word answers use: `approved` or `rejected`.
        public var word: String {
            switch self {
            case .approved: "approved"
            case .rejected: "rejected"
            }
        }
    }

    /// A decision about `signal`.
    public init(
        signal: SignalID,
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

/// A page of what the worker holds is asked for.
public struct ListRequest: Hashable, Sendable {
    /// What is listed.
    public var kind: ListKind
    /// The most items of the page, 1 to 500.
    public var limit: Int
    /// Where the last page ended; nil begins.
    public var cursor: String?

    /// A page of `kind`.
    public init(kind: ListKind, limit: Int = 100, cursor: String? = nil) {
        self.kind = kind
        self.limit = limit
        self.cursor = cursor
    }
}

/// What LIST can list.
public enum ListKind: String, CaseIterable, Hashable, Sendable {
    /// Runs that are kept: unfinished ones and those whose answer is still retained.
    case runs
    /// Signals and gates that wait.
    case signals
    /// Monitors with their topics and state.
    case monitors
    /// Pipelines with their seeds.
    case pipelines
}

/// How long an acknowledged thing lives.
public enum Durability: String, Comparable, CaseIterable, Hashable, Sendable {
    /// As long as the worker's process.
    case memory
    /// Through `kill -9` and power loss.
    case fsynced

    /// What survives more is the greater.
    public static func < (a: Durability, b: Durability) -> Bool { a == .memory && b == .fsynced }
}

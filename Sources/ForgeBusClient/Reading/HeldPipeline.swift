public import ForgeBusProtocol

/// A pipeline that a worker hosts.
///
/// In a list, some properties are nil; to get them, call ``BusClient/show(pipeline:patience:)``.
public struct HeldPipeline: HeldItem {
    /// The kind of list that contains pipelines.
    public static var kind: ListKind { .pipelines }

    /// The pipeline's name.
    public let name: PipelineName
    /// The seeds that the pipeline declares.
    public let seeds: [Seed]
    /// The keys of the pipeline's outputs.
    public let outputs: [String]
    /// The number of runs of the pipeline that may execute at once; nil in a list.
    public let slots: Int?
    /// The number of runs of the pipeline that have a slot now; nil in a list.
    public let executing: Int?
    /// The number of runs of the pipeline that wait for a slot; nil in a list.
    public let queued: Int?
    /// The pipeline's pause; nil if it is not paused.
    public let pause: PauseItem?
    /// Everything that the worker sent about the pipeline.
    public let json: JSONObject

    /// A seed that the pipeline declares.
    public struct Seed: Hashable, Sendable {
        /// The seed's key.
        public let key: String
        /// The type of the seed's value, as the worker names it.
        public let type: String
        /// Whether the worker refuses a run without this seed.
        public let isRequired: Bool
        /// The value that a run gets if the request does not give this seed; nil if the seed is required or secret, or
        /// if the default is null.
        public let defaultValue: JSONValue?
        /// Whether the value is secret; the worker never sends a secret value in an answer.
        public let isSecret: Bool
    }

    /// Reads a pipeline that the worker sent.
    ///
    /// - Throws: `BusError` with code `bad_answer` if a required member is missing, or if `paused` is not a pause.
    public init(_ json: JSONObject) throws(BusError) {
        name = PipelineName(try json.text("pipeline"))
        var seeds: [Seed] = []
        for seed in json["seeds"]?.array?.compactMap(\.object) ?? [] {
            seeds.append(
                Seed(
                    key: try seed.text("key"),
                    type: try seed.text("type"),
                    isRequired: seed["required"]?.bool ?? false,
                    defaultValue: seed["default"],
                    isSecret: seed["secret"]?.bool ?? false
                )
            )
        }
        self.seeds = seeds
        outputs = json.texts("outputs")
        slots = json["slots"]?.integer.map { Int($0) }
        executing = json["executing"]?.integer.map { Int($0) }
        queued = json["queued"]?.integer.map { Int($0) }
        pause = try json["paused"].map(PauseItem.init)
        self.json = json
    }
}

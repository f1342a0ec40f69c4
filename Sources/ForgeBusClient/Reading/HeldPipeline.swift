public import ForgeBusProtocol

/// A pipeline that a worker hosts.
///
/// A list leaves some properties nil; ``BusClient/show(pipeline:patience:)`` returns all of them.
public struct HeldPipeline: HeldItem {
    /// The kind of these items in LIST.
    public static var kind: ListKind { .pipelines }

    /// Its name.
    public let name: PipelineName
    /// The seeds that a run may and must give.
    public let seeds: [Seed]
    /// The keys of its outputs.
    public let outputs: [String]
    /// How many runs may execute at once.
    public let slots: Int?
    /// How many runs execute now.
    public let executing: Int?
    /// How many runs wait for a slot.
    public let queued: Int?
    /// Everything that the worker sent.
    public let json: JSONObject

    /// A seed that a run may or must give.
    public struct Seed: Hashable, Sendable {
        /// Its key.
        public let key: String
        /// The type of its value, as the worker names it.
        public let type: String
        /// Whether the worker refuses a run without this seed.
        public let isRequired: Bool
        /// The value that a run without this seed uses.
        public let defaultValue: JSONValue?
    }

    /// Reads a pipeline from the worker's JSON.
    ///
    /// - Throws: ``BusError`` with code `bad_answer` if a member is missing that each pipeline has.
    public init(_ json: JSONObject) throws(BusError) {
        name = PipelineName(try json.text("pipeline"))
        var seeds: [Seed] = []
        for seed in json["seeds"]?.array?.compactMap(\.object) ?? [] {
            seeds.append(
                Seed(
                    key: try seed.text("key"),
                    type: try seed.text("type"),
                    isRequired: seed["required"]?.bool ?? false,
                    defaultValue: seed["default"]
                )
            )
        }
        self.seeds = seeds
        outputs = json.texts("outputs")
        slots = json["slots"]?.integer.map { Int($0) }
        executing = json["executing"]?.integer.map { Int($0) }
        queued = json["queued"]?.integer.map { Int($0) }
        self.json = json
    }
}

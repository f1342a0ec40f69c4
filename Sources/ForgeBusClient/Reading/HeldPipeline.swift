public import ForgeBusProtocol

/// A pipeline that a worker hosts.
///
/// What is nil in a list, ``BusClient/show(pipeline:patience:)`` knows.
public struct HeldPipeline: HeldItem {
    /// What a list of them is called.
    public static var kind: ListKind { .pipelines }

    /// Its name.
    public let name: PipelineName
    /// The seeds that a run may and must give.
    public let seeds: [Seed]
    /// The keys of its outputs.
    public let outputs: [String]
    /// How many runs may execute at once.
    public let slots: Int?
    /// How many execute.
    public let executing: Int?
    /// How many wait for a slot.
    public let queued: Int?
    /// Everything the worker told.
    public let json: JSONObject

    /// A seed that a run may or must give.
    public struct Seed: Hashable, Sendable {
        /// Its key.
        public let key: String
        /// The type of its value, in the worker's word.
        public let type: String
        /// Whether a run without it is refused.
        public let isRequired: Bool
        /// What a run without it begins with.
        public let defaultValue: JSONValue?
    }

    /// Reads what the worker told.
    ///
    /// - Throws: `BusError` with code `bad_answer` where what each of them has is missing.
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

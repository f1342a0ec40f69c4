public import ForgeBusProtocol
import ForgeOrchestrator

/// An input of a pipeline: a value that a request gives a run's context.
public struct Seed: Hashable, Sendable {
    /// The seed's key, in the request's body and in the context.
    public let key: String
    /// The type that the value must have.
    public let type: ValueType
    /// The value if a request gives none; nil makes the seed required, and `null` leaves it out of the context.
    public let defaultValue: JSONValue?
    /// Whether the value is secret.
    ///
    /// No answer, history, log, message or stored result has the value: SHOW leaves the seed out, and `[secret]` stands in
    /// place of the value in reasons and outputs. A person's own words are not searched: the reason or value of a decision, or
    /// the reason of a cancellation. The store has the value until the run ends; older pages and backups of the store
    /// may have it longer.
    public let isSecret: Bool

    /// The least number of characters of a secret value: a shorter one could stand in any text.
    static let secretLength = 4

    /// The types a seed can have, with the Swift type its value has in the context.
    public typealias ValueType = ForgeBusWorker.ValueType

    /// Returns a seed that every request must give; a secret one must be a string of at least 4 characters.
    public static func required(_ key: String, _ type: ValueType, isSecret: Bool = false) -> Seed {
        Seed(key: key, type: type, defaultValue: nil, isSecret: isSecret)
    }

    /// Returns a seed that a request may leave out; a secret one must be a string of at least 4 characters.
    public static func optional(
        _ key: String,
        _ type: ValueType,
        default value: JSONValue,
        isSecret: Bool = false
    ) -> Seed {
        Seed(key: key, type: type, defaultValue: value, isSecret: isSecret)
    }

    /// The context's values for the seeds that a request gives.
    ///
    /// - Throws: `BusError` with code `bad_seed`, naming the key, what is expected and what was found.
    package static func values(of given: JSONObject, declared: [Seed]) throws(BusError) -> [String: any Sendable] {
        if let unknown = given.entries.first(where: { entry in !declared.contains { $0.key == entry.key } }) {
            throw error(unknownKey: unknown.key, declared: declared)
        }
        // Actions add more values.
        var values = [String: any Sendable](minimumCapacity: 2 * declared.count)
        for seed in declared { values[seed.key] = try seed.value(given[seed.key]) }
        return values
    }

    /// Whether its default has the declared type, if it has a default.
    var hasFittingDefault: Bool { defaultValue == nil || (try? value(nil)) != nil || defaultValue == .null }

    private func value(_ given: JSONValue?) throws(BusError) -> (any Sendable)? {
        guard let value = given ?? defaultValue else {
            throw BusError(
                .badSeed,
                "The seed `\(key)` is missing; a value of type \(type.rawValue) is expected.",
                next: "Send the request again with \"\(key)\" in its body."
            )
        }
        if given == nil, value == .null { return nil }
        if isSecret, let text = value.string, text.count < Self.secretLength {
            throw BusError(
                .badSeed,
                "The secret seed `\(key)` must have at least \(Self.secretLength) characters; found \(text.count).",
                next: "Send a longer value: a shorter one cannot be kept out of other texts."
            )
        }
        switch (type, value) {
        case (.number, .integer(let integer)): return WrittenInteger(integer)
        case (.string, .string), (.integer, .integer), (.number, .number), (.boolean, .bool), (.array, .array),
            (.object, .object):
            return value.swiftValue
        default:
            throw BusError(
                .badSeed,
                "The seed `\(key)` must be of type \(type.rawValue); found \(value.typeName).",
                next: "Send the request again with the declared type."
            )
        }
    }

    private static func error(unknownKey key: String, declared: [Seed]) -> BusError {
        let guess = Spelling.guess(key, among: declared.map(\.key)).map { " Did you mean `\($0)`?" } ?? ""
        let list = declared.map { "`\($0.key)`: \($0.type.rawValue)" }.joined(separator: ", ")
        return BusError(
            .badSeed,
            "The pipeline has no seed \(Printable.quoted(key)).\(guess)",
            next: declared.isEmpty ? "Send no seeds." : "Send only the declared seeds: \(list)."
        )
    }
}

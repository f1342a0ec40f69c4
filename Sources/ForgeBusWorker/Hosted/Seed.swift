public import ForgeBusProtocol
import ForgeOrchestrator

/// An input of a pipeline: a value that a request puts into the run's context.
public struct Seed: Hashable, Sendable {
    /// The seed's key, in the request's body and in the context.
    public let key: String
    /// The type that the value must have.
    public let type: ValueType
    /// The value that is used if a request gives none.
    ///
    /// If the default is nil, every request must give a value. If it is `null`, the context gets no value for the seed.
    public let defaultValue: JSONValue?
    /// Whether the value is secret.
    ///
    /// No answer, history, log, message or stored result contains the value. SHOW leaves the seed out, and `[secret]`
    /// replaces the value in reasons, messages and outputs. The worker does not replace it in what a person wrote: the
    /// reason or value of a decision, and the reason of a cancellation. The store contains the value until the run
    /// ends; older pages and backups of the store may contain it for longer.
    public let isSecret: Bool

    /// The least number of characters of a secret value; a shorter text could occur by chance in other texts.
    static let secretLength = 4

    /// The type of a seed; each case names the Swift type that the value has in the context.
    public typealias ValueType = ForgeBusWorker.ValueType

    /// Returns a seed that every request must give; a secret value must be a string of at least 4 characters.
    public static func required(_ key: String, _ type: ValueType, isSecret: Bool = false) -> Seed {
        Seed(key: key, type: type, defaultValue: nil, isSecret: isSecret)
    }

    /// Returns a seed that a request may leave out; a secret value must be a string of at least 4 characters.
    public static func optional(
        _ key: String,
        _ type: ValueType,
        default value: JSONValue,
        isSecret: Bool = false
    ) -> Seed {
        Seed(key: key, type: type, defaultValue: value, isSecret: isSecret)
    }

    /// Returns the initial values of a run's context: the seeds in the request, and the defaults of the omitted seeds.
    ///
    /// - Throws: `BusError` with code `bad_seed` for an unknown key, a missing value, a value of the wrong type, or a
    ///   secret value that is too short; the error names the key.
    package static func values(of given: JSONObject, declared: [Seed]) throws(BusError) -> [String: any Sendable] {
        if let unknown = given.entries.first(where: { entry in !declared.contains { $0.key == entry.key } }) {
            throw error(unknownKey: unknown.key, declared: declared)
        }
        // Leaves room for the values that actions add.
        var values = [String: any Sendable](minimumCapacity: 2 * declared.count)
        for seed in declared { values[seed.key] = try seed.value(given[seed.key]) }
        return values
    }

    /// Whether the default has the declared type; true without a default, and for `null`.
    var hasFittingDefault: Bool { defaultValue == nil || (try? value(nil)) != nil || defaultValue == .null }

    private func value(_ given: JSONValue?) throws(BusError) -> (any Sendable)? {
        guard let value = given ?? defaultValue else {
            throw BusError(
                .badSeed,
                "The seed `\(key)` is missing; a value of type \(type.rawValue) is expected.",
                next: "Send the request again with the seed `\(key)`."
            )
        }
        if given == nil, value == .null { return nil }
        if isSecret, let text = value.string, text.count < Self.secretLength {
            throw BusError(
                .badSeed,
                "The secret seed `\(key)` must have at least \(Self.secretLength) characters; found \(text.count).",
                next: "Send a value of at least \(Self.secretLength) characters; the worker cannot hide shorter ones "
                    + "in messages and outputs."
            )
        }
        switch (type, value) {
        case (.number, .integer(let integer)): return WrittenInteger(integer)
        case (.string, .string), (.integer, .integer), (.number, .number), (.boolean, .bool), (.array, .array),
            (.object, .object):
            return value.swiftValue
        default:
            let form = type == .string ? " With `forgebus run`, write `\(key)=TEXT`." : ""
            throw BusError(
                .badSeed,
                "The seed `\(key)` must be of type \(type.rawValue); found \(value.typeName).",
                next: "Send the request again with a value of type \(type.rawValue).\(form)",
                details: ["seed": .string(key), "expected": .string(type.rawValue)]
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

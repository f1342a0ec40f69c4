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
            throw Errors.unknownSeed(unknown.key, declared: declared.map { ($0.key, $0.type.rawValue) })
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
            throw Errors.seedMissing(key, type: type.rawValue)
        }
        if given == nil, value == .null { return nil }
        if isSecret, let text = value.string, text.count < Self.secretLength {
            throw Errors.secretTooShort(key, least: Self.secretLength, found: text.count)
        }
        switch (type, value) {
        case (.number, .integer(let integer)): return WrittenInteger(integer)
        case (.string, .string), (.integer, .integer), (.number, .number), (.boolean, .bool), (.array, .array),
            (.object, .object):
            return value.swiftValue
        default:
            throw Errors.seedOfWrongType(key, type: type.rawValue, found: value.typeName)
        }
    }
}

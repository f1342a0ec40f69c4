/// The stable name of an action: what it is registered, logged and reported under.
///
/// Write it as a string literal, or keep all of an application's ids in one enum whose raw value is `String`:
///
/// ```swift
/// enum LaunchStep: String { case onboarding, migration }
///
/// let literal: ActionID = "onboarding"
/// let fromEnum = ActionID(LaunchStep.onboarding)
/// ```
///
/// Two ids are equal when their ``rawValue`` is, and they sort by it. Encoded, an id is its raw string.
public struct ActionID: Hashable, Comparable, Sendable {
    /// The text of the id.
    public let rawValue: String

    /// Makes an id from its text.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes an id from a case of an enum, or anything else, whose raw value is a string.
    public init<R: RawRepresentable>(_ value: R) where R.RawValue == String {
        self.init(value.rawValue)
    }

    /// Orders ids by their text.
    public static func < (lhs: ActionID, rhs: ActionID) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

extension ActionID: ExpressibleByStringLiteral {
    /// Makes an id from a literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension ActionID: CustomStringConvertible {
    /// The text of the id, as it appears in logs.
    public var description: String { rawValue }
}

extension ActionID: Codable {
    /// Reads an id from its raw string.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the raw string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

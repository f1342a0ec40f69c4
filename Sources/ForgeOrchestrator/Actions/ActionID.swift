/// The stable name of an action, used to register it and to name it in logs and reports.
///
/// Write an id as a string literal, or keep all of an application's ids in one enum whose raw value is `String`:
///
/// ```swift
/// enum LaunchStep: String { case onboarding, migration }
///
/// let literal: ActionID = "onboarding"
/// let fromEnum = ActionID(LaunchStep.onboarding)
/// ```
///
/// Ids are compared and sorted by their ``rawValue``, and are encoded as that string.
public struct ActionID: Hashable, Comparable, Sendable {
    /// The text of the id.
    public let rawValue: String

    /// Makes an id from its text.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes an id from an enum case or another value whose raw value is a string.
    public init<R: RawRepresentable>(_ value: R) where R.RawValue == String {
        self.init(value.rawValue)
    }

    /// Orders ids by their text.
    public static func < (lhs: ActionID, rhs: ActionID) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}

extension ActionID: ExpressibleByStringLiteral {
    /// Makes an id from a string literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension ActionID: CustomStringConvertible {
    /// The text of the id, as it appears in logs.
    public var description: String { rawValue }
}

extension ActionID: Codable {
    /// Decodes an id from a single string, its ``rawValue``.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the id as a single string, its ``rawValue``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

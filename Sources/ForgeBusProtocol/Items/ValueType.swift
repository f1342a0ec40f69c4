/// The type of a pipeline's seed, or of a member of a decision's value.
public enum ValueType: String, CaseIterable, Hashable, Sendable {
    /// `String`
    case string
    /// `Int`
    case integer
    /// `Double`; an integer is accepted, too, and keeps its digits in JSON: `1` stays `1`.
    case number
    /// `Bool`
    case boolean
    /// `[any Sendable]`, which can be cast to an array of one element type.
    case array
    /// `[String: any Sendable]`, which can be cast to a dictionary of one value type.
    case object
}

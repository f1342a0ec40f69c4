/// A name that a program has written and that is not checked yet; each kind of name has its own type.
///
/// Because of the types, a program cannot pass a signal's id where a run's id is expected. A program makes a value from
/// a literal, an interpolation or a `String`, and the value keeps the text unchanged. The call that uses the value
/// checks the text: if the text is not a ``Name``, the call throws ``BusError`` with code `bad_name` and sends nothing.
public protocol WrittenName: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation
where StringLiteralType == String {
    /// The text, unchanged and unchecked.
    var text: String { get }

    /// Keeps `text` unchecked; a call that uses an invalid name throws `bad_name`.
    init(_ text: String)
}

extension WrittenName {
    /// Keeps the literal's text unchecked; a call that uses an invalid name throws `bad_name`.
    public init(stringLiteral text: String) { self.init(text) }

    /// Keeps the text of a checked name.
    public init(_ name: Name) { self.init(name.text) }

    /// The text, unchanged and unchecked.
    public var description: String { text }

    /// Orders values by their texts, as Swift compares strings.
    public static func < (a: Self, b: Self) -> Bool { a.text < b.text }

    /// The text as a checked name.
    ///
    /// - Throws: ``BusError`` with code `bad_name`; the message says which rule the text breaks.
    public var name: Name {
        get throws(BusError) { try Name(text) }
    }

    /// The text as a name, without a check; only for a value that was made from a ``Name``.
    package var knownName: Name { Name(unchecked: text) }
}

/// The topic of a notification, for instance `orders.42.paid`.
public struct Topic: WrittenName {
    /// The text, unchanged and unchecked.
    public let text: String

    /// Keeps `text` unchecked; a call that uses an invalid name throws `bad_name`.
    public init(_ text: String) { self.text = text }
}

/// The name of the pipeline that a request runs, for instance `deploy`.
public struct PipelineName: WrittenName {
    /// The text, unchanged and unchecked.
    public let text: String

    /// Keeps `text` unchecked; a call that uses an invalid name throws `bad_name`.
    public init(_ text: String) { self.text = text }
}

/// The id under which a signal or gate waits, for instance `deploy.42.approve`.
public struct SignalID: WrittenName {
    /// The text, unchanged and unchecked.
    public let text: String

    /// Keeps `text` unchecked; a call that uses an invalid name throws `bad_name`.
    public init(_ text: String) { self.text = text }
}

/// The id that a worker gives a run, for instance `run-7`.
public struct RunID: WrittenName {
    /// The text, unchanged and unchecked.
    public let text: String

    /// Keeps `text` unchecked; a call that uses an invalid name throws `bad_name`.
    public init(_ text: String) { self.text = text }
}

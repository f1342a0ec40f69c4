/// A name as a program writes it: a type for each kind, so that a run cannot be decided and a signal not cancelled.
///
/// A literal, an interpolation or a variable makes one, and it keeps that text, whatever it is. Whether the text is a
/// ``Name`` is asked where it is used: a call that is given another one throws ``BusError`` with code `bad_name` and sends
/// nothing.
public protocol WrittenName: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation
where StringLiteralType == String {
    /// The text as it was written.
    var text: String { get }

    /// Takes any text.
    init(_ text: String)
}

extension WrittenName {
    /// Takes any text.
    public init(stringLiteral text: String) { self.init(text) }

    /// Takes a name.
    public init(_ name: Name) { self.init(name.text) }

    /// The text as it was written.
    public var description: String { text }

    /// Sorted by their bytes.
    public static func < (a: Self, b: Self) -> Bool { a.text < b.text }

    /// The text as a name.
    ///
    /// - Throws: ``BusError`` with code `bad_name`, saying which rule is broken.
    public var name: Name {
        get throws(BusError) { try Name(text) }
    }

    /// The name that it was made of: only for what was never written by hand.
    package var knownName: Name { Name(unchecked: text) }
}

/// What a notification is about: `orders.42.paid`.
public struct Topic: WrittenName {
    /// The text as it was written.
    public let text: String

    /// Takes any text.
    public init(_ text: String) { self.text = text }
}

/// Which pipeline a request runs: `deploy`.
public struct PipelineName: WrittenName {
    /// The text as it was written.
    public let text: String

    /// Takes any text.
    public init(_ text: String) { self.text = text }
}

/// The id under which a signal or gate waits: `deploy.42.approve`.
public struct SignalID: WrittenName {
    /// The text as it was written.
    public let text: String

    /// Takes any text.
    public init(_ text: String) { self.text = text }
}

/// The id that a worker gives a run: `run-7`.
public struct RunID: WrittenName {
    /// The text as it was written.
    public let text: String

    /// Takes any text.
    public init(_ text: String) { self.text = text }
}

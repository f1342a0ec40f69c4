/// An operator's request to a worker, sent as ADMIN.
public struct AdminRequest: Hashable, Sendable {
    /// The verb, for instance `store.verify`; the worker defines which verbs exist.
    public var verb: Name
    /// The verb's arguments.
    public var arguments: JSONObject

    /// Makes a request for `verb` with `arguments`.
    public init(_ verb: Name, arguments: JSONObject = [:]) {
        self.verb = verb
        self.arguments = arguments
    }
}

extension AdminRequest: Verb {
    package static let words = ["ADMIN"]
    package static let attributes: [String] = []
    package static let right: Right? = .admin
    package static let isLedgered = true

    package init(_ verb: Name, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        self.init(verb, arguments: try body.object(of: "the arguments, or an empty body for none"))
    }

    package var command: Request.Command { .admin(self) }
    package var subject: Name { verb }
    package var body: [UInt8] { arguments.body }
}

/// An operator asks for something.
public struct AdminRequest: Hashable, Sendable {
    /// What is to be done; which verbs there are is the worker's to say.
    public var verb: Name
    /// What it is to be done with.
    public var arguments: JSONObject

    /// Do `verb` with `arguments`.
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
        self.init(verb, arguments: try body.object(of: "the arguments"))
    }

    package var command: Request.Command { .admin(self) }
    package var subject: Name { verb }
    package var body: [UInt8] { arguments.body }
}

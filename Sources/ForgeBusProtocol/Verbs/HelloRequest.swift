/// A request for a WELCOME, which describes the worker.
package struct HelloRequest {}

extension HelloRequest: Verb {
    package static let words = ["HELLO"]
    package static let attributes: [String] = []
    package static let right: Right? = nil
    package static let isLedgered = false

    package init(_ subject: NoSubject, _ attributes: AttributeReader, _ body: BodyReader) {}

    package var command: Request.Command { .hello }
    package var subject: NoSubject { NoSubject() }
}

/// A request to end the watch that was started with the same request id.
package struct UnwatchRequest {}

extension UnwatchRequest: Verb {
    package static let words = ["UNWATCH"]
    package static let attributes: [String] = []
    package static let right: Right? = nil
    package static let isLedgered = false

    package init(_ subject: NoSubject, _ attributes: AttributeReader, _ body: BodyReader) {}

    package var command: Request.Command { .unwatch }
    package var subject: NoSubject { NoSubject() }
}

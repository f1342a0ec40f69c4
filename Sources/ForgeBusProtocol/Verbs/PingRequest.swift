/// A request for a PONG, which shows that the worker responds.
package struct PingRequest {
    /// The bytes that the answer repeats.
    package var body: [UInt8]
}

extension PingRequest: Verb {
    package static let words = ["PING"]
    package static let attributes: [String] = []
    package static let right: Right? = nil
    package static let isLedgered = false

    package init(_ subject: NoSubject, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        self.body = try body.bytes(atMost: WireLimits.pingSizeInBytes)
    }

    package var command: Request.Command { .ping(body) }
    package var subject: NoSubject { NoSubject() }
}

/// An error of the transport: what went wrong, and what to do next.
///
/// Programs branch on ``code``; people read ``message`` and ``next``.
public struct ZeroMQError: Error, Hashable, Sendable {
    /// What kind of failure this is.
    public let code: Code

    /// One sentence that says what happened to what.
    public let message: String

    /// One sentence that says what to do about it.
    public let next: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: One sentence that says what happened to what.
    ///   - next: One sentence that says what to do about it.
    public init(_ code: Code, _ message: String, next: String) {
        self.code = code
        self.message = message
        self.next = next
    }
}

extension ZeroMQError: CustomStringConvertible {
    /// Message and next move, for people to read.
    public var description: String { "\(message) \(next)" }
}

extension ZeroMQError {
    /// The kinds of failure; open, so that a later version may add some.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name in lower case with underscores.
        public let rawValue: String

        /// A code by its name.
        ///
        /// - Parameter rawValue: The name in lower case with underscores.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Another socket is bound to the endpoint.
        public static let addressInUse = Code(rawValue: "address_in_use")

        /// No interface of this machine has the address.
        public static let addressNotAvailable = Code(rawValue: "address_not_available")

        /// This module, or this operation, does not accept the endpoint.
        public static let invalidEndpoint = Code(rawValue: "invalid_endpoint")

        /// A socket option has a value outside its range.
        public static let invalidOption = Code(rawValue: "invalid_option")

        /// A value is not a CURVE key.
        public static let invalidKey = Code(rawValue: "invalid_key")

        /// A text is not a topic.
        public static let invalidTopic = Code(rawValue: "invalid_topic")

        /// A certificate file cannot be read or trusted.
        public static let invalidCertificate = Code(rawValue: "invalid_certificate")

        /// The operation would let strangers in.
        public static let insecure = Code(rawValue: "insecure")

        /// The peer is no longer connected.
        public static let peerUnreachable = Code(rawValue: "peer_unreachable")

        /// The peer's queue and its outbox are full.
        public static let peerFull = Code(rawValue: "peer_full")

        /// The operation did not finish in time.
        public static let deadline = Code(rawValue: "deadline")

        /// The waiting task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")

        /// The operating system does not permit it for this user.
        public static let permissionDenied = Code(rawValue: "permission_denied")

        /// File descriptors or the context's sockets are used up.
        public static let tooManyDescriptors = Code(rawValue: "too_many_descriptors")

        /// The socket or its reactor is closed.
        public static let closed = Code(rawValue: "closed")

        /// The socket is not bound or connected to the endpoint.
        public static let notFound = Code(rawValue: "not_found")

        /// The operating system or libzmq failed for a reason without its own code.
        public static let system = Code(rawValue: "system")
    }
}

/// What went wrong at the wire, in a sentence, and what to do next.
///
/// Programs branch on ``code``; people read ``message`` and ``next``.
public struct ZeroMQError: Error, Hashable, Sendable {
    /// What kind of failure this is.
    public let code: Code

    /// One sentence that says what happened and to what.
    public let message: String

    /// One sentence that says what to do about it.
    public let next: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: One sentence that says what happened and to what.
    ///   - next: One sentence that says what to do about it.
    public init(_ code: Code, _ message: String, next: String) {
        self.code = code
        self.message = message
        self.next = next
    }
}

extension ZeroMQError: CustomStringConvertible {
    /// Message and next move, as a person should read them.
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

        /// Somebody else is bound to the endpoint.
        public static let addressInUse = Code(rawValue: "address_in_use")

        /// No interface of this machine has the address.
        public static let addressNotAvailable = Code(rawValue: "address_not_available")

        /// The endpoint is not one this module accepts, or not one for this operation.
        public static let invalidEndpoint = Code(rawValue: "invalid_endpoint")

        /// A socket option has a value outside its range.
        public static let invalidOption = Code(rawValue: "invalid_option")

        /// Something that was to be a CURVE key is none.
        public static let invalidKey = Code(rawValue: "invalid_key")

        /// Something that was to be a topic is none.
        public static let invalidTopic = Code(rawValue: "invalid_topic")

        /// A certificate file cannot be read, or not be trusted.
        public static let invalidCertificate = Code(rawValue: "invalid_certificate")

        /// What is asked for would let strangers in.
        public static let insecure = Code(rawValue: "insecure")

        /// Nobody is there: the peer is not connected any more.
        public static let peerUnreachable = Code(rawValue: "peer_unreachable")

        /// The peer's queue and its outbox are full.
        public static let peerFull = Code(rawValue: "peer_full")

        /// It did not happen in the time it was given.
        public static let deadline = Code(rawValue: "deadline")

        /// The task that waited for it was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")

        /// The operating system does not allow it to this user.
        public static let permissionDenied = Code(rawValue: "permission_denied")

        /// File descriptors, or the context's sockets, are used up.
        public static let tooManyDescriptors = Code(rawValue: "too_many_descriptors")

        /// The socket or its reactor is closed.
        public static let closed = Code(rawValue: "closed")

        /// The socket is not bound or connected to the endpoint.
        public static let notFound = Code(rawValue: "not_found")

        /// Something the operating system or libzmq refused for a reason that has no code of its own.
        public static let system = Code(rawValue: "system")
    }
}

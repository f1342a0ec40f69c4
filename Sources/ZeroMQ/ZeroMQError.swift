/// An error of this module: a code, a sentence about the failure, and advice about what to do.
///
/// Programs branch on ``code``; people read ``message`` and ``next``.
public struct ZeroMQError: Error, Hashable, Sendable {
    /// The kind of failure.
    public let code: Code

    /// One sentence that describes the failure and names the value or socket concerned.
    public let message: String

    /// One sentence that says what to do about the failure.
    public let next: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: One sentence that describes the failure and names the value or socket concerned.
    ///   - next: One sentence that says what to do about the failure.
    public init(_ code: Code, _ message: String, next: String) {
        self.code = code
        self.message = message
        self.next = next
    }
}

extension ZeroMQError: CustomStringConvertible {
    /// The message and the advice as one text, for people to read.
    public var description: String { "\(message) \(next)" }
}

extension ZeroMQError {
    /// The kind of a failure; a later version may add further codes.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code's name in lower case with underscores.
        public let rawValue: String

        /// Makes a code from its name.
        ///
        /// - Parameter rawValue: The name in lower case with underscores.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The endpoint is in use, a file to be created exists already, or the reactor already has an authenticator.
        public static let addressInUse = Code(rawValue: "address_in_use")

        /// No interface of this machine has the address.
        public static let addressNotAvailable = Code(rawValue: "address_not_available")

        /// The endpoint has a wrong form, or cannot be used for this operation or kind of socket.
        public static let invalidEndpoint = Code(rawValue: "invalid_endpoint")

        /// An option of a socket or reactor is outside its range, or the socket already uses other encryption settings.
        public static let invalidOption = Code(rawValue: "invalid_option")

        /// The given text or bytes are not a CURVE key.
        public static let invalidKey = Code(rawValue: "invalid_key")

        /// The given text is not a topic.
        public static let invalidTopic = Code(rawValue: "invalid_topic")

        /// The content of a certificate file is wrong, or metadata has characters that the file format does not allow.
        public static let invalidCertificate = Code(rawValue: "invalid_certificate")

        /// Unknown peers could connect, or users other than the owner have access to a file with a secret key.
        public static let insecure = Code(rawValue: "insecure")

        /// A message has no frame.
        public static let invalidMessage = Code(rawValue: "invalid_message")

        /// A ``Req`` has no answer to its last question yet, or a ``Rep`` has no question to answer.
        public static let state = Code(rawValue: "state")

        /// The peer is no longer connected.
        public static let peerUnreachable = Code(rawValue: "peer_unreachable")

        /// The operation did not finish in time.
        public static let deadline = Code(rawValue: "deadline")

        /// The waiting task was cancelled.
        public static let cancelled = Code(rawValue: "cancelled")

        /// The operating system does not permit the operation for this user.
        public static let permissionDenied = Code(rawValue: "permission_denied")

        /// The process has no free file descriptor, or the reactor has as many sockets as it may open.
        public static let tooManyDescriptors = Code(rawValue: "too_many_descriptors")

        /// The socket is closed or belongs to another reactor, or the reactor is shut down.
        public static let closed = Code(rawValue: "closed")

        /// The file or its directory does not exist, or the socket is not bound or connected to the endpoint.
        public static let notFound = Code(rawValue: "not_found")

        /// The operating system or libzmq reported an error for which there is no code here; the message names it.
        public static let system = Code(rawValue: "system")
    }
}

/// Sends the HTTP requests of actions with `post:`.
///
/// The program gives a `WorkerFile` its HTTP client in this form. `forgebus` has one if it is built with the trait `HTTP`.
public protocol HTTPPoster: Sendable {
    /// Sends a POST, and waits for its answer, at most for ``HTTPPost/timeLimit``.
    ///
    /// The poster follows no redirect and uses no proxy. It refuses link-local addresses and the metadata services of
    /// clouds, unless the URL names the address itself. A cancellation of the task ends the request.
    ///
    /// - Throws: ``HTTPPostError`` if no whole header of an answer came. The receiver may have got the request all the
    ///   same.
    func post(_ post: HTTPPost) async throws(HTTPPostError) -> HTTPPostAnswer
}

/// An HTTP POST with a JSON object.
public struct HTTPPost: Hashable, Sendable {
    /// The complete URL, with the scheme `http` or `https`.
    public var url: String
    /// The JSON object.
    public var body: [UInt8]
    /// Identifies the effect of the request, for the headers `Idempotency-Key` and `webhook-id`.
    ///
    /// The id is the same for each attempt.
    public var id: String
    /// The key of the signature that *Standard Webhooks* describes; nil for a request without a signature.
    public var signingKey: [UInt8]?
    /// The W3C trace context, for the header `traceparent`; nil without one.
    public var traceparent: String?
    /// The number of the take-over with which this process became the worker, for the header `Forge-Epoch`.
    ///
    /// The value is nil for a worker that no other process can take over.
    public var epoch: Int64?
    /// How long the whole exchange may take.
    public var timeLimit: Duration

    /// The most bytes of an answer that are read.
    public static let longestAnswerInBytes = 64 * 1024

    /// Makes a request.
    public init(
        url: String,
        body: [UInt8],
        id: String,
        signingKey: [UInt8]? = nil,
        traceparent: String? = nil,
        epoch: Int64? = nil,
        timeLimit: Duration
    ) {
        self.url = url
        self.body = body
        self.id = id
        self.signingKey = signingKey
        self.traceparent = traceparent
        self.epoch = epoch
        self.timeLimit = timeLimit
    }
}

/// The answer to an HTTP POST.
public struct HTTPPostAnswer: Hashable, Sendable {
    /// The status, such as 200.
    public var status: Int
    /// The media type of the body, without parameters and in lower case; nil if the answer names none.
    public var mediaType: String?
    /// Where a redirect leads; nil if the answer has no header `Location`.
    public var location: String?
    /// The body, at most ``HTTPPost/longestAnswerInBytes`` of it.
    public var body: [UInt8]
    /// Whether the body is complete; false if it was too long or its end did not come.
    public var isWhole: Bool

    /// Makes an answer.
    public init(
        status: Int,
        mediaType: String? = nil,
        location: String? = nil,
        body: [UInt8] = [],
        isWhole: Bool = true
    ) {
        self.status = status
        self.mediaType = mediaType
        self.location = location
        self.body = body
        self.isWhole = isWhole
    }
}

/// The reason why no answer to an HTTP POST came.
public struct HTTPPostError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason, as a part of a sentence: `no answer within 60 s`.
    public var description: String

    /// Makes the error.
    public init(_ description: String) { self.description = description }
}

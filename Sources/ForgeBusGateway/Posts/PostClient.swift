import AsyncHTTPClient
import ForgeBusProtocol
public import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Sends HTTP POSTs with JSON objects: the client of the worker's actions with `post:`.
///
/// It follows no redirect, uses no proxy, and does not send to link-local addresses.
public struct PostClient: Sendable {
    /// The current time, for the timestamps of signatures.
    private let now: @Sendable () -> Date

    /// The most bytes of an answer that are read.
    public static let longestAnswerInBytes = 64 * 1024

    /// Makes a client.
    public init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

    /// A POST with a JSON object.
    public struct Post: Sendable {
        /// The URL, with the scheme `http` or `https`.
        public var url: String
        /// The JSON object.
        public var body: [UInt8]
        /// The same for each attempt; in the headers `Idempotency-Key` and `webhook-id`.
        public var id: String
        /// The key for the signature of *Standard Webhooks*; nil for no signature.
        public var signingKey: [UInt8]?
        /// The value of the header `traceparent`; nil without one.
        public var traceparent: String?
        /// How long the whole exchange may take.
        public var timeLimit: Duration

        /// Makes a POST.
        public init(
            url: String,
            body: [UInt8],
            id: String,
            signingKey: [UInt8]? = nil,
            traceparent: String? = nil,
            timeLimit: Duration
        ) {
            self.url = url
            self.body = body
            self.id = id
            self.signingKey = signingKey
            self.traceparent = traceparent
            self.timeLimit = timeLimit
        }
    }

    /// The answer to a POST.
    public struct Answer: Sendable {
        /// The status, such as 200.
        public let status: Int
        /// The media type, without parameters and in lower case; nil if the answer names none.
        public let mediaType: String?
        /// The header `Location`; nil without one.
        public let location: String?
        /// The first ``PostClient/longestAnswerInBytes`` of the body.
        public let body: [UInt8]
        /// Whether `body` is the whole body.
        public let isWhole: Bool
    }

    /// The reason why no answer came.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The reason, as a part of a sentence.
        public let description: String
    }

    /// Sends a POST, and reads the beginning of the answer.
    ///
    /// - Throws: ``Failure`` if no header of an answer came within the time limit. The server may have got the POST.
    public func send(_ post: Post) async throws(Failure) -> Answer {
        let result = await withTaskGroup(of: Result<Answer, Failure>?.self) { group in
            group.addTask {
                do throws(Failure) { return .success(try await exchange(post)) } catch { return .failure(error) }
            }
            group.addTask {
                // A cancelled sleep means that the exchange ended first, or that the action was cancelled.
                (try? await Task.sleep(for: post.timeLimit)) != nil ? .failure(.overdue(post.timeLimit)) : nil
            }
            defer { group.cancelAll() }
            for await result in group { if let result { return result } }
            return .failure(Failure(description: "cancelled"))
        }
        return try result.get()
    }

    private func exchange(_ post: Post) async throws(Failure) -> Answer {
        guard let host = URLComponents(string: post.url)?.host?.withoutBrackets, !host.isEmpty else {
            throw Failure(description: "\(Printable.quoted(post.url)) has no host")
        }
        var failure: Failure?
        for address in try await Self.addresses(of: host) {
            switch await exchange(post, with: host, at: address) {
            case .answered(let answer): return answer
            case .broken(let reason): throw reason
            case .notConnected(let reason): failure = reason
            }
        }
        throw failure ?? .unknownHost(host)
    }

    /// The addresses of the host to which a POST may go.
    private static func addresses(of host: String) async throws(Failure) -> [HostAddress] {
        // The resolver of the system blocks its thread.
        let all = try? await NIOThreadPool.singleton.runIfActive { HostAddress.addresses(of: host) }
        guard let all, !all.isEmpty else { throw .unknownHost(host) }
        // The file itself names this address.
        let allowed = all.filter { !$0.isLinkLocal || $0.text == host.lowercased() }
        guard !allowed.isEmpty else { throw .linkLocal(host, all[0]) }
        return allowed
    }

    /// The outcome of an exchange with one address.
    private enum Exchange {
        case answered(Answer)
        case broken(Failure)
        /// The POST was not sent, so the next address may be tried.
        case notConnected(Failure)
    }

    private func exchange(_ post: Post, with host: String, at address: HostAddress) async -> Exchange {
        let client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
            configuration: Self.configuration(host, address, post.timeLimit)
        )
        let result: Result<Answer, any Error>
        do { result = .success(try await Self.answer(of: client, to: request(post))) } catch {
            result = .failure(error)
        }
        try? await client.shutdown()
        switch result {
        case .success(let answer): return .answered(answer)
        case .failure(let error):
            let failure = Failure(of: error, at: address)
            return error.isOfConnecting ? .notConnected(failure) : .broken(failure)
        }
    }

    private static func configuration(
        _ host: String,
        _ address: HostAddress,
        _ limit: Duration
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        // The address that was checked, and no other that the resolver may answer a moment later.
        configuration.dnsOverride = [host: address.text]
        configuration.httpVersion = .http1Only
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: TimeAmount(limit))
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    private func request(_ post: Post) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: post.url)
        request.method = .POST
        request.body = .bytes(ByteBuffer(bytes: post.body))
        let seconds = "\(Int(now().timeIntervalSince1970))"
        request.headers.add(contentsOf: [
            "Content-Type": "application/json", "User-Agent": "forgebus/\(Release.version)",
            "Idempotency-Key": post.id, "webhook-id": post.id, "webhook-timestamp": seconds,
        ])
        if let key = post.signingKey {
            let signature = StandardWebhook.signature(key: key, id: post.id, seconds: seconds, body: post.body)
            request.headers.add(name: "webhook-signature", value: "v1,\(signature)")
        }
        if let traceparent = post.traceparent { request.headers.add(name: "traceparent", value: traceparent) }
        return request
    }

    private static func answer(of client: HTTPClient, to request: HTTPClientRequest) async throws -> Answer {
        // `send` limits the time.
        let response = try await client.execute(request, deadline: .distantFuture)
        var body: [UInt8] = []
        var isWhole = true
        do {
            for try await part in response.body {
                let room = longestAnswerInBytes - body.count
                body += part.readableBytesView.prefix(room)
                isWhole = part.readableBytes <= room
                if !isWhole { break }
            }
        } catch {
            // The status is the outcome, also if the rest of the answer is lost.
            isWhole = false
        }
        let type = response.headers.first(name: "Content-Type")?.split(separator: ";").first?.trimmed.lowercased()
        return Answer(
            status: Int(response.status.code),
            mediaType: type,
            location: response.headers.first(name: "Location"),
            body: body,
            isWhole: isWhole
        )
    }
}

extension PostClient.Failure {
    fileprivate static func overdue(_ limit: Duration) -> Self { Self(description: "no answer within \(limit)") }

    fileprivate static func unknownHost(_ host: String) -> Self {
        Self(description: "the host \(Printable.quoted(host)) has no address")
    }

    fileprivate static func linkLocal(_ host: String, _ address: HostAddress) -> Self {
        Self(
            description:
                "\(Printable.quoted(host)) is the link-local address \(address.text), and a post goes to such an address "
                + "only if its URL names the address itself"
        )
    }

    fileprivate init(of error: any Error, at address: HostAddress) {
        switch error {
        case let error as HTTPClientError where error == .remoteConnectionClosed:
            self.init(description: "the server closed the connection without an answer")
        case let error as HTTPClientError: self.init(description: error.shortDescription)
        case _ where error.isOfConnecting: self.init(description: "no connection to \(address.text): \(error)")
        default: self.init(description: "the connection to \(address.text) broke: \(error)")
        }
    }
}

extension Error {
    /// Whether the error came before anything was sent.
    fileprivate var isOfConnecting: Bool {
        switch self {
        case let error as HTTPClientError: error == .connectTimeout || error == .tlsHandshakeTimeout
        case let error as IOError: [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT].contains(error.errnoCode)
        default: self is NIOConnectionError || self is NIOSSLError || self is NIOSSLExtraError
        }
    }
}

extension String {
    /// The host of a URL without the brackets of an IPv6 address.
    fileprivate var withoutBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}

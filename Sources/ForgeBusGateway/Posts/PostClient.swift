import AsyncHTTPClient
import ForgeBusProtocol
import ForgeLocks
public import Foundation
import NIOCore
import NIOPosix

/// Sends HTTP POSTs with JSON objects: the client of the worker's actions with `post:`.
///
/// It follows no redirect and uses no proxy. It sends to link-local addresses and to the metadata services of clouds only if
/// the URL names the address itself.
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
        /// The value of the headers `Idempotency-Key` and `webhook-id`, the same for each attempt.
        public var id: String
        /// The key for the signature of *Standard Webhooks*; nil for no signature.
        public var signingKey: [UInt8]?
        /// The value of the header `traceparent`; nil without one.
        public var traceparent: String?
        /// The value of the header `Forge-Epoch`; nil without one.
        public var epoch: Int64?
        /// How long the whole exchange may take.
        public var timeLimit: Duration

        /// Makes a POST.
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
    /// Once the header of the answer has arrived, the time limit only ends the reading of its body.
    ///
    /// - Throws: ``Failure`` if no header of an answer came within the time limit. The server may have got the POST.
    public func send(_ post: Post) async throws(Failure) -> Answer {
        guard let host = Self.host(of: post.url) else {
            throw Failure(description: "nothing was sent: the URL \(Printable.quoted(post.url)) has no host")
        }
        let deadline = ContinuousClock.now + post.timeLimit
        var addresses = try await Self.addresses(of: host, until: deadline, post.timeLimit)[...]
        // Before the first address is tried, only the look-up can have used up the time.
        var failure = Errors.latePostAddress(host, post.timeLimit)
        while let address = addresses.popFirst() {
            let rest = deadline - .now
            guard rest > .zero else { break }
            // One address that does not answer must not use up the time of the others.
            let patience = addresses.isEmpty ? rest : min(rest, .seconds(5))
            switch await exchange(post, with: host, at: address, connectingWithin: patience, until: deadline) {
            case .answered(let answer): return answer
            case .broken(let reason): throw reason
            case .notConnected(let reason): failure = reason
            }
        }
        throw failure
    }

    /// The host of a URL, as the URL has it and without the brackets of an IPv6 address; nil without a host.
    private static func host(of url: String) -> String? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
        let host =
            authority.hasPrefix("[")
            ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        return host.isEmpty ? nil : String(host)
    }

    /// The addresses of the host to which a POST may go.
    private static func addresses(
        of host: String,
        until deadline: ContinuousClock.Instant,
        _ limit: Duration
    ) async throws(Failure) -> [HostAddress] {
        let all: [HostAddress]
        if let literal = HostAddress(text: host) {
            all = [literal]
        } else {
            guard let found = await HostAddress.lookUp(host, until: deadline) else {
                throw Errors.latePostAddress(host, limit)
            }
            all = found
        }
        guard let first = all.first else { throw Errors.unknownPostHost(host) }
        // A link-local address or a metadata service is allowed only if the URL itself names the address.
        let allowed = all.filter { !$0.isLocalService || $0.text == host.lowercased() }
        guard !allowed.isEmpty else { throw Errors.localPostService(host, first) }
        return allowed
    }

    /// The outcome of an exchange with one address.
    private enum Exchange {
        case answered(Answer)
        case broken(Failure)
        /// The POST was not sent, so the next address may be tried.
        case notConnected(Failure)
    }

    private func exchange(
        _ post: Post,
        with host: String,
        at address: HostAddress,
        connectingWithin patience: Duration,
        until deadline: ContinuousClock.Instant
    ) async -> Exchange {
        let client = HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton),
            configuration: Self.configuration(post.url, host, address, patience)
        )
        let result: Result<Answer, any Error>
        do {
            result = .success(try await Self.answer(of: client, to: request(post), until: deadline))
        } catch {
            result = .failure(error)
        }
        try? await client.shutdown()
        switch result {
        case .success(let answer): return .answered(answer)
        case .failure(let error):
            let failure = Errors.failedPost(error, at: Self.place(address, post.url), post.timeLimit)
            return error.isOfConnecting ? .notConnected(failure) : .broken(failure)
        }
    }

    /// The address and the port to which a POST to `url` goes, as a part of a sentence.
    private static func place(_ address: HostAddress, _ url: String) -> String {
        let url = URL(string: url)
        return "\(address.text), port \(url?.port ?? (url?.scheme == "http" ? 80 : 443))"
    }

    private static func configuration(
        _ url: String,
        _ host: String,
        _ address: HostAddress,
        _ patience: Duration
    ) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        // The client must use the address that was checked: a second look-up could find another address. The override
        // names the host in each form in which the client may look for it.
        configuration.dnsOverride = [host: address.text]
        if let other = URL(string: url)?.host { configuration.dnsOverride[other] = address.text }
        configuration.httpVersion = .http1Only
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: TimeAmount(patience))
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
        if let epoch = post.epoch { request.headers.add(name: "Forge-Epoch", value: "\(epoch)") }
        return request
    }

    private static func answer(
        of client: HTTPClient,
        to request: HTTPClientRequest,
        until deadline: ContinuousClock.Instant
    ) async throws -> Answer {
        let rest = max(.zero, deadline - .now)
        let response = try await client.execute(request, deadline: .now() + TimeAmount(rest))
        let (body, isWhole) = await beginning(of: response.body, until: deadline)
        let type = response.headers.first(name: "Content-Type")?.split(separator: ";").first?.trimmed.lowercased()
        return Answer(
            status: Int(response.status.code),
            mediaType: type,
            location: response.headers.first(name: "Location"),
            body: body,
            isWhole: isWhole
        )
    }

    /// The beginning of a body, as far as it comes until the deadline, and whether it is the whole body.
    private static func beginning(
        of body: HTTPClientResponse.Body,
        until deadline: ContinuousClock.Instant
    ) async -> ([UInt8], Bool) {
        let collected = Beginning()
        let isWhole = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    for try await part in body {
                        guard collected.append(part) else { return false }
                    }
                    return true
                } catch {
                    // The status is the outcome, also if the rest of the answer is lost.
                    return false
                }
            }
            group.addTask {
                try? await Task.sleep(until: deadline, clock: .continuous)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        return (collected.bytes, isWhole)
    }
}

/// The beginning of a body, of which more may come.
private final class Beginning: Sendable {
    private let state = Guarded<[UInt8]>([])

    var bytes: [UInt8] { state.withLock { $0 } }

    /// Adds as much of a part as there is room for; returns whether there was room for the whole part.
    func append(_ part: ByteBuffer) -> Bool {
        state.withLock { bytes in
            let room = PostClient.longestAnswerInBytes - bytes.count
            bytes += part.readableBytesView.prefix(room)
            return part.readableBytes <= room
        }
    }
}

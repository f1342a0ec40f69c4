import Crypto
import ForgeBusProtocol
import Foundation
import HTTPTypes
import Testing

@testable import ForgeBusGateway

@Suite("A delivery to a webhook")
struct DeliveryTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let key = [UInt8](repeating: 7, count: 24)
    private static let secret = "whsec_" + Data(key).base64EncodedString()

    private func read(
        _ fields: [(String, String)],
        _ signature: Webhook.Signature,
        secret: String,
        body: String = "{}"
    ) throws(BusError) -> Delivery {
        var all = HTTPFields()
        for (name, value) in fields { all.append(HTTPField(name: HTTPField.Name(name)!, value: value)) }
        let request = APIRequest(
            method: .post,
            path: ["hooks", "a"],
            query: [],
            fields: all,
            body: Array(body.utf8),
            sender: Sender()
        )
        return try Delivery(request, signature: signature, secret: secret, at: Self.now)
    }

    private func github(_ body: String, secret: String) -> [(String, String)] {
        let code = HMAC<SHA256>.authenticationCode(for: Data(body.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        let digits = code.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return [("X-Hub-Signature-256", "sha256=\(digits)"), ("X-GitHub-Event", "push"), ("X-GitHub-Delivery", "d")]
    }

    private func standard(at seconds: Int, id: String = "msg_1", body: String = "{}") -> [(String, String)] {
        let text = "\(seconds)"
        let signature = StandardWebhook.signature(key: Self.key, id: id, seconds: text, body: Array(body.utf8))
        return [("webhook-id", id), ("webhook-timestamp", text), ("webhook-signature", "v1,\(signature)")]
    }

    @Test("of GitHub is read only with the code of its body and the secret")
    func signed() throws {
        let delivery = try read(github("{}", secret: "s"), .github, secret: "s")
        #expect(delivery.id == "d" && delivery.event == "push" && delivery.json == [:])
        #expect(throws: BusError.self) { try read(github("{}", secret: "t"), .github, secret: "s") }
        #expect(throws: BusError.self) { try read(github("[]", secret: "s"), .github, secret: "s") }
        #expect(throws: BusError.self) { try read([("X-GitHub-Delivery", "d")], .github, secret: "s") }
    }

    @Test("of GitLab is read only with the secret, and once")
    func token() throws {
        let fields = [("X-Gitlab-Event", "Push Hook"), ("X-Gitlab-Event-UUID", "u")]
        #expect(try read(fields + [("X-Gitlab-Token", "s")], .gitlab, secret: "s").event == "Push Hook")
        #expect(throws: BusError.self) { try read(fields + [("X-Gitlab-Token", "t")], .gitlab, secret: "s") }
        let twice = fields + [("X-Gitlab-Token", "s"), ("X-Gitlab-Token", "s")]
        #expect(throws: BusError.self) { try read(twice, .gitlab, secret: "s") }
    }

    @Test("of Standard Webhooks is read for five minutes, and only as it was signed")
    func timely() throws {
        let now = Int(Self.now.timeIntervalSince1970)
        for seconds in [now - 300, now, now + 300] {
            #expect(try read(standard(at: seconds), .standard, secret: Self.secret).id == "msg_1")
        }
        for seconds in [now - 301, now + 301] {
            let error = #expect(throws: BusError.self) {
                try read(standard(at: seconds), .standard, secret: Self.secret)
            }
            #expect(error?.code == .badSignature)
        }
        var other = standard(at: now)
        other[0].1 = "msg_2"
        #expect(throws: BusError.self) { try read(other, .standard, secret: Self.secret) }
        #expect(throws: BusError.self) { try read(standard(at: now), .standard, secret: Self.secret, body: "[]") }
    }

    @Test("gives its request an id of its own at each webhook, the same each time")
    func id() throws {
        let delivery = try read(standard(at: Int(Self.now.timeIntervalSince1970)), .standard, secret: Self.secret)
        #expect(delivery.requestID(at: "a") == delivery.requestID(at: "a"))
        #expect(delivery.requestID(at: "a") != delivery.requestID(at: "b"))
    }
}

@Suite("An address that a post goes to")
struct HostAddressTests {
    @Test(
        "is link-local or a metadata service in every form",
        arguments: [
            ([169, 254, 169, 254], true), ([169, 253, 1, 1], false), ([127, 0, 0, 1], false),
            ([0xFE, 0x80] + [UInt8](repeating: 0, count: 14), true),
            ([0xFE, 0xBF] + [UInt8](repeating: 0, count: 14), true),
            ([0xFE, 0xC0] + [UInt8](repeating: 0, count: 14), false),
            ([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 169, 254, 1, 1], true),
            ([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 10, 0, 0, 1], false),
            ([0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8) + [169, 254, 169, 254], true),
            ([0xFD, 0, 0x0E, 0xC2] + [UInt8](repeating: 0, count: 10) + [0x02, 0x54], true),
            ([0xFD, 0, 0x0E, 0xC3] + [UInt8](repeating: 0, count: 10) + [0x02, 0x54], false),
            ([100, 100, 100, 200], true), ([100, 100, 100, 201], false),
        ] as [([UInt8], Bool)]
    )
    func localService(_ bytes: [UInt8], _ isLocalService: Bool) {
        #expect(HostAddress(bytes: bytes)?.isLocalService == isLocalService)
    }

    @Test("is refused if the URL does not name the link-local address itself", arguments: ["0xa9fe0101", "2851995905"])
    func refused(_ host: String) async throws {
        let post = PostClient.Post(url: "http://\(host):1/", body: [], id: "a", timeLimit: .seconds(60))
        let failure = await #expect(throws: PostClient.Failure.self) { try await PostClient().send(post) }
        #expect(failure?.description.contains("link-local") == true)
    }
}

@Suite("A trusted proxy")
struct TrustedProxyTests {
    private let proxy = TrustedProxy(userHeader: "X-Forwarded-User", secret: "hunter2")

    private func sender(_ fields: [(String, String)]) throws(BusError) -> Sender? {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
        for (name, value) in fields {
            request.headerFields.append(HTTPField(name: HTTPField.Name(name)!, value: value))
        }
        return try proxy.sender(of: request)
    }

    @Test("names the sender with its secret, and nobody else does")
    func naming() throws {
        #expect(try sender([("X-Forwarded-User", "ada"), ("Forgebus-Proxy-Secret", "hunter2")])?.principal == "ada")
        #expect(try sender([("X-Forwarded-User", "ada")]) == nil)
        for fields in [
            [("X-Forwarded-User", "ada"), ("Forgebus-Proxy-Secret", "hunter")],
            [("X-Forwarded-User", "ada"), ("Forgebus-Proxy-Secret", "")],
            [("X-Forwarded-User", "ada"), ("Forgebus-Proxy-Secret", "hunter2"), ("Forgebus-Proxy-Secret", "hunter2")],
            [("X-Forwarded-User", "ada"), ("X-Forwarded-User", "bob"), ("Forgebus-Proxy-Secret", "hunter2")],
            [("X-Forwarded-User", "a b"), ("Forgebus-Proxy-Secret", "hunter2")],
            [("Forgebus-Proxy-Secret", "hunter2")],
        ] {
            let error = #expect(throws: BusError.self) { try sender(fields) }
            #expect(error?.code == .unauthorized)
        }
    }
}

import Foundation
import TestSupport
import Testing
import ZeroMQ

@Suite("A certificate file")
struct CertificateTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

    private func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    @Test("is read back as it was written, the secret half only from the secret file")
    func roundTrip() throws {
        let certificate = Certificate(KeyPair(), metadata: ["name": "worker", "site": "eu west # 1"])
        try certificate.write(to: path("worker"))
        #expect(try Certificate(contentsOf: path("worker.key_secret")) == certificate)
        let open = try Certificate(contentsOf: path("worker.key"))
        #expect(open == Certificate(certificate.publicKey, metadata: certificate.metadata))
        #expect(open.keys == nil)
        #expect(try mode("worker.key_secret") == 0o600)
        #expect(try !String(contentsOfFile: path("worker.key"), encoding: .utf8).contains("secret-key"))
    }

    @Test("never takes the place of another one, and then leaves nothing behind")
    func exclusive() throws {
        let first = Certificate(KeyPair())
        try first.write(to: path("worker"))
        let error = #expect(throws: ZeroMQError.self) { try Certificate(KeyPair()).write(to: path("worker")) }
        #expect(error?.code == .addressInUse)
        #expect(try Certificate(contentsOf: path("worker.key_secret")) == first)

        try write("somebody else's", to: "other.key_secret")
        #expect(throws: ZeroMQError.self) { try Certificate(KeyPair()).write(to: path("other")) }
        #expect(!FileManager.default.fileExists(atPath: path("other.key")))
        #expect(try String(contentsOfFile: path("other.key_secret"), encoding: .utf8) == "somebody else's")
    }

    @Test("with a secret that others may read is refused", arguments: [0o640, 0o604, 0o660, 0o644, 0o610])
    func looseSecret(_ mode: Int) throws {
        let keys = KeyPair()
        try write(
            "curve\n    public-key = \"\(keys.publicKey)\"\n    secret-key = \"\(keys.secretKey.text)\"\n",
            to: "loose.key_secret",
            mode: mode
        )
        let error = #expect(throws: ZeroMQError.self) { try Certificate(contentsOf: path("loose.key_secret")) }
        #expect(error?.code == .insecure)
        #expect(error?.next.contains("chmod 600") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path("loose.key_secret"))
        #expect(try Certificate(contentsOf: path("loose.key_secret")).keys == keys)
    }

    @Test("is read in every form the community writes")
    func forms() throws {
        let key = KeyPair().publicKey
        let forms = [
            "#   ****  Generated  ****\n\nmetadata\n    name = \"a # b\"\ncurve\n    public-key = \"\(key)\"\n",
            "metadata\ncurve\n    public-key = \"\(key)\"",
            "metadata\n\tname = bare words  # a comment\ncurve\n\tpublic-key='\(key)'\n",
            "curve\r\n    public-key = \"\(key)\"\r\n",
        ]
        for (number, text) in forms.enumerated() {
            try write(text, to: "\(number).key", mode: 0o644)
            #expect(try Certificate(contentsOf: path("\(number).key")).publicKey == key)
        }
        #expect(try Certificate(contentsOf: path("0.key")).metadata == ["name": "a # b"])
        #expect(try Certificate(contentsOf: path("2.key")).metadata == ["name": "bare words"])
    }

    @Test("that is none says what is wrong with it")
    func invalid() throws {
        let (keys, other) = (KeyPair(), KeyPair())
        // Each text with what the message names.
        let faults = [
            ("", "`public-key`"),
            ("public-key = \"\(keys.publicKey)\"\n", "`public-key`"),
            ("metadata\n    public-key = \"\(keys.publicKey)\"\n", "`public-key`"),
            ("curve\n    public-key = \"short\"\n", "40"),
            ("curve\n    public-key\n", "line 2"),
            (
                "curve\n    public-key = \"\(keys.publicKey)\"\n    secret-key = \"\(other.secretKey.text)\"\n",
                "secret key"
            ),
        ]
        for (text, name) in faults {
            try write(text, to: "bad")
            let error = #expect(throws: ZeroMQError.self) { try Certificate(contentsOf: path("bad")) }
            #expect(error?.code == .invalidCertificate)
            #expect(error?.message.contains(name) == true, "\(String(describing: error))")
            #expect(error?.message.contains(other.secretKey.text) == false)
        }
        let missing = #expect(throws: ZeroMQError.self) { try Certificate(contentsOf: path("missing")) }
        #expect(missing?.code == .notFound)
        try write(String(repeating: "x", count: 70_000), to: "large")
        #expect(throws: ZeroMQError.self) { try Certificate(contentsOf: path("large")) }
    }

    @Test("has no place for metadata that would read as something else")
    func metadata() {
        for metadata in [["two words": "x"], ["name": "two\nlines"], ["name": "a \"quote\""], ["": "x"]] {
            let error = #expect(throws: ZeroMQError.self) {
                try Certificate(KeyPair(), metadata: metadata).write(to: path("odd"))
            }
            #expect(error?.code == .invalidCertificate)
        }
        #expect((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) == [])
    }
}

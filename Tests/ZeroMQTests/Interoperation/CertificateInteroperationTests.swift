import Foundation
import TestSupport
import Testing
import ZeroMQ

@Suite("A certificate file", .needsPython, .serialized, .timeLimit(.minutes(30)))
struct CertificateInteroperationTests {
    @Test("of ours is read by pyzmq")
    func ours() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/worker"
        let keys = KeyPair()
        try Certificate(keys, metadata: ["name": "worker", "public-key": "not this one"]).write(to: path)
        let texts = [keys.publicKey.description, keys.secretKey.text]
        #expect(try await PythonProcess.output(of: "load-certificate", "\(path).key") == [texts[0]])
        #expect(try await PythonProcess.output(of: "load-certificate", "\(path).key_secret") == texts)
    }

    @Test("of pyzmq is read, the secret one only once nobody else may read it")
    func theirs() async throws {
        let directory = try TemporaryDirectory()
        let paths = try await PythonProcess.output(of: "create-certificate", directory.path, "peer")
        #expect(paths == ["\(directory.path)/peer.key", "\(directory.path)/peer.key_secret"])
        let certificate = try Certificate(contentsOf: paths[0])
        #expect(certificate.keys == nil)

        let error = #expect(throws: ZeroMQError.self) { try Certificate(contentsOf: paths[1]) }
        #expect(error?.code == .insecure)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: paths[1])
        let secret = try Certificate(contentsOf: paths[1])
        #expect(secret.publicKey == certificate.publicKey)
        #expect(secret.metadata == ["name": "A peer of pyzmq"])
        let texts = try await PythonProcess.output(of: "load-certificate", paths[1])
        #expect(texts == [secret.publicKey.description, secret.keys?.secretKey.text])
    }
}

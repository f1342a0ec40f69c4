import ArgumentParser
import ForgeBusProtocol
import ForgeBusWorker
import Foundation
import ZeroMQ

/// The options with the worker's public key and the client's own keys, for workers that authenticate senders.
struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The worker's public key, or a certificate file with that key (also FORGEBUS_SERVER_KEY).",
            valueName: "key"
        )
    )
    var serverKey: String?

    @Option(
        help: ArgumentHelp(
            "This command's own keys: a file NAME.key_secret from `forgebus keygen` (also FORGEBUS_CERTIFICATE).",
            valueName: "file"
        )
    )
    var certificate: String?

    /// Checks that the options and the environment name both or neither, as a command that connects needs them.
    func requirePair() throws {
        let named = named(ProcessInfo.processInfo.environment)
        // A user who gives one of them does not intend to connect without encryption.
        guard (named.serverKey == nil) == (named.certificate == nil) else {
            throw Errors.oneKeyOption
        }
    }

    /// The options as they were given, for a command line that people can copy.
    var words: [String] {
        (serverKey.map { ["--server-key", $0] } ?? []) + (certificate.map { ["--certificate", $0] } ?? [])
    }

    /// Whether the options or the environment name the command's own keys.
    var namesCertificate: Bool { named(ProcessInfo.processInfo.environment).certificate != nil }

    /// Whether the options or the environment name keys.
    var areNamed: Bool { named(ProcessInfo.processInfo.environment).serverKey != nil }

    /// The keys of the connection; nil if neither the options nor the environment name them.
    ///
    /// - Throws: `BusError` with code `bad_certificate`.
    func identity(_ environment: [String: String]) throws(BusError) -> CurveClient? {
        guard let serverKey = named(environment).serverKey, let keys = try ownKeys(environment) else { return nil }
        return CurveClient(keys: keys, server: try Self.publicKey(serverKey))
    }

    /// The command's own keys; nil if neither the options nor the environment name them.
    ///
    /// - Throws: `BusError` with code `bad_certificate`.
    func ownKeys(_ environment: [String: String]) throws(BusError) -> KeyPair? {
        guard let path = named(environment).certificate else { return nil }
        guard let keys = try Self.certificate(path).keys else {
            throw Errors.certificateWithoutSecret(path)
        }
        return keys
    }

    private func named(_ environment: [String: String]) -> (serverKey: String?, certificate: String?) {
        // An empty variable counts as missing.
        let environment = environment.filter { !$0.value.isEmpty }
        return (
            serverKey ?? environment["FORGEBUS_SERVER_KEY"], certificate ?? environment["FORGEBUS_CERTIFICATE"]
        )
    }

    /// Reads a public key from the text itself, or from the certificate file with that path.
    ///
    /// A text with the form of a key is always read as a key. A path that has that form needs `./` in front.
    static func publicKey(_ text: String) throws(BusError) -> PublicKey {
        guard (try? PublicKey(text)) != nil else { return try certificate(text).publicKey }
        do throws(WorkerError) {
            return try AccessPolicy.key(text)
        } catch {
            // The text has the form of a key, so it is a secret key.
            throw Errors.secretServerKey
        }
    }

    private static func certificate(_ path: String) throws(BusError) -> Certificate {
        do throws(ZeroMQError) {
            return try Certificate(contentsOf: path)
        } catch {
            throw Errors.badCertificate(error)
        }
    }
}

extension ErrorCode {
    /// A file or text does not contain the expected keys; only this program uses this code.
    static let badCertificate = ErrorCode(rawValue: "bad_certificate")
}

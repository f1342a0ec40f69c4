import ArgumentParser
import ForgeBusProtocol
import ForgeBusWorker
import Foundation
import ZeroMQ

/// The keys of both sides, where the worker tells senders apart.
struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The worker's public key, or the certificate file that holds it (also FORGEBUS_SERVER_KEY).",
            valueName: "key"
        )
    )
    var serverKey: String?

    @Option(
        help: ArgumentHelp(
            "This client's own keys: a NAME.key_secret that `keygen` wrote (also FORGEBUS_CERTIFICATE).",
            valueName: "file"
        )
    )
    var certificate: String?

    func validate() throws {
        let named = named(ProcessInfo.processInfo.environment)
        // With one of them, nobody means to speak without encryption.
        guard (named.serverKey == nil) == (named.certificate == nil) else {
            throw ValidationError(
                "--server-key and --certificate go together, also where the environment names them: each side proves who "
                    + "it is."
            )
        }
    }

    /// The options as they were given, so that somebody can give them again.
    var words: [String] {
        (serverKey.map { ["--server-key", $0] } ?? []) + (certificate.map { ["--certificate", $0] } ?? [])
    }

    /// The keys; nil where none are named.
    ///
    /// - Throws: ``BusError`` with code `bad_certificate`.
    func identity(_ environment: [String: String]) throws(BusError) -> CurveClient? {
        let named = named(environment)
        guard let serverKey = named.serverKey, let path = named.certificate else { return nil }
        let server = try Self.publicKey(serverKey)
        let own = try Self.certificate(path)
        guard let keys = own.keys else {
            throw BusError(
                .badCertificate,
                "\(path) is a certificate without its secret key.",
                next: "Name the file that ends in .key_secret; `forgebus keygen` makes both."
            )
        }
        return CurveClient(keys: keys, server: server)
    }

    private func named(_ environment: [String: String]) -> (serverKey: String?, certificate: String?) {
        // An empty variable is as good as none.
        let environment = environment.filter { !$0.value.isEmpty }
        return (
            serverKey ?? environment["FORGEBUS_SERVER_KEY"], certificate ?? environment["FORGEBUS_CERTIFICATE"]
        )
    }

    /// What can be read as a key is one; a file of such a name is reached by `./`.
    private static func publicKey(_ text: String) throws(BusError) -> PublicKey {
        guard (try? PublicKey(text)) != nil else { return try certificate(text).publicKey }
        do throws(WorkerError) {
            return try AccessPolicy.key(text)
        } catch {
            throw BusError(.badCertificate, error.message, next: error.next)
        }
    }

    private static func certificate(_ path: String) throws(BusError) -> Certificate {
        do throws(ZeroMQError) {
            return try Certificate(contentsOf: path)
        } catch {
            throw BusError(.badCertificate, error.message, next: error.next)
        }
    }
}

extension ErrorCode {
    /// A file or text that should hold keys does not; said by this program only.
    static let badCertificate = ErrorCode(rawValue: "bad_certificate")
}

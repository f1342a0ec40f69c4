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

    @OptionGroup var own: CertificateOption

    /// Checks that the options and the environment name both or neither, as a command that connects needs them.
    func requirePair(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let named = named(environment)
        // A user who gives one of them does not intend to connect without encryption.
        guard (named.serverKey == nil) == (named.certificate == nil) else {
            throw Errors.oneKeyOption
        }
    }

    /// The options as they were given, for a command line that people can copy.
    var words: [String] {
        (serverKey.map { ["--server-key", $0] } ?? []) + own.words
    }

    /// Whether the options or the environment name the command's own keys.
    var namesCertificate: Bool { own.path(ProcessInfo.processInfo.environment) != nil }

    /// Whether the options or the environment name keys.
    func areNamed(in environment: [String: String]) -> Bool { named(environment).serverKey != nil }

    /// The keys of the connection; nil if neither the options nor the environment name them.
    ///
    /// - Throws: `BusError` with code `bad_certificate`.
    func identity(_ environment: [String: String]) throws(BusError) -> CurveClient? {
        guard let serverKey = named(environment).serverKey, let keys = try own.keys(environment) else { return nil }
        return CurveClient(keys: keys, server: try Self.publicKey(serverKey))
    }

    private func named(_ environment: [String: String]) -> (serverKey: String?, certificate: String?) {
        (serverKey ?? environment.named("FORGEBUS_SERVER_KEY"), own.path(environment))
    }

    /// Whether the text is a key, and not the path of a file that is there.
    static func isKey(_ text: String) -> Bool {
        (try? PublicKey(text)) != nil && !FileManager.default.fileExists(atPath: text)
    }

    /// Reads a public key from the text itself, or from the certificate file with that path.
    static func publicKey(_ text: String) throws(BusError) -> PublicKey {
        guard isKey(text) else { return try Certificate(named: text).publicKey }
        do throws(WorkerError) {
            return try AccessPolicy.key(text)
        } catch {
            // The text has the form of a key, so it is a secret key.
            throw Errors.secretServerKey
        }
    }
}

/// The option with a client's own keys.
struct CertificateOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "This command's own keys: a file NAME.key_secret from `forgebus keygen` (also FORGEBUS_CERTIFICATE).",
            valueName: "file"
        )
    )
    var certificate: String?

    /// The option as it was given, for a command line that people can copy.
    var words: [String] { certificate.map { ["--certificate", $0] } ?? [] }

    /// The path of the file, from the option or from the environment; nil if neither names one.
    func path(_ environment: [String: String]) -> String? { certificate ?? environment.named("FORGEBUS_CERTIFICATE") }

    /// The keys in the file; nil if neither the option nor the environment names a file.
    ///
    /// - Throws: `BusError` with code `bad_certificate`.
    func keys(_ environment: [String: String]) throws(BusError) -> KeyPair? {
        guard let path = path(environment) else { return nil }
        guard let keys = try Certificate(named: path).keys else { throw Errors.certificateWithoutSecret(path) }
        return keys
    }
}

extension Certificate {
    /// Reads the certificate in the file that the user has named.
    ///
    /// - Throws: `BusError` with code `bad_certificate`.
    fileprivate init(named path: String) throws(BusError) {
        do throws(ZeroMQError) { try self.init(contentsOf: path) } catch { throw Errors.badCertificate(error) }
    }
}

extension [String: String] {
    /// The value of a variable; an empty variable counts as missing.
    func named(_ variable: String) -> String? { self[variable].flatMap { $0.isEmpty ? nil : $0 } }
}

extension ErrorCode {
    /// A file or text does not contain the expected keys; only this program uses this code.
    static let badCertificate = ErrorCode(rawValue: "bad_certificate")
}

import ForgeBusProtocol
import ForgeLocks
import NIOCore
import NIOSSL

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The files of a gateway that speaks TLS.
public struct CertificateFiles: Hashable, Sendable {
    /// The path of the certificate in PEM, with the certificates between it and its authority.
    public var certificate: String
    /// The path of its private key in PEM, without a passphrase.
    public var key: String

    /// Names the files.
    public init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
}

/// The certificate that a gateway shows in each new handshake.
final class ServerCertificate: Sendable {
    private let files: CertificateFiles
    private let current: Guarded<Pair>

    private struct Pair {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource
    }

    /// Reads the files.
    ///
    /// - Throws: ``GatewayError`` if a file cannot be read or has other content, or if the key does not belong to the
    ///   certificate.
    init(_ files: CertificateFiles) throws(GatewayError) {
        self.files = files
        current = Guarded(try Self.read(files))
    }

    /// Reads the files again; connections that are open keep their certificate.
    func reread() throws(GatewayError) {
        let pair = try Self.read(files)
        current.withLock { $0 = pair }
    }

    /// The configuration of the server: TLS 1.2 or later, and HTTP/1.1.
    var configuration: TLSConfiguration {
        let pair = current.withLock { $0 }
        var configuration = TLSConfiguration.makeServerConfiguration(certificateChain: pair.chain, privateKey: pair.key)
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.sslContextCallback = { [self] _, promise in
            let pair = current.withLock { $0 }
            var change = NIOSSLContextConfigurationOverride()
            (change.certificateChain, change.privateKey) = (pair.chain, pair.key)
            promise.succeed(change)
        }
        return configuration
    }

    private static func read(_ files: CertificateFiles) throws(GatewayError) -> Pair {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMFile(files.certificate) } catch {
            throw unusable(files.certificate, "a certificate in PEM")
        }
        let key: NIOSSLPrivateKey
        do { key = try NIOSSLPrivateKey(file: files.key, format: .pem) } catch {
            throw unusable(files.key, "a private key in PEM without a passphrase")
        }
        do {
            // Checks that the key belongs to the certificate.
            let check = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
            _ = try NIOSSLContext(configuration: check)
        } catch {
            throw Errors.foreignKey(files)
        }
        return Pair(chain: chain.map { .certificate($0) }, key: .privateKey(key))
    }

    private static func unusable(_ path: String, _ expected: String) -> GatewayError {
        var number = access(path, R_OK) == 0 ? 0 : errno
        var information = stat()
        if stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR { number = EISDIR }
        return number == 0
            ? Errors.wrongContent(path, expected) : Errors.unreadableFile(path, expected, number: number)
    }
}

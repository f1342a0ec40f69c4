import AsyncHTTPClient
import ForgeBusProtocol
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The failures of posts.
extension Errors {
    static func overduePost(_ limit: Duration) -> PostClient.Failure {
        PostClient.Failure(description: "no answer within \(limit) (`timeout_ms`); the server may have got the post")
    }

    static func latePostAddress(_ host: String, _ limit: Duration) -> PostClient.Failure {
        PostClient.Failure(
            description:
                "nothing was sent: the look-up of the host \(Printable.quoted(host)) took longer than \(limit) "
                + "(`timeout_ms`)"
        )
    }

    static func unknownPostHost(_ host: String) -> PostClient.Failure {
        PostClient.Failure(
            description:
                "no address was found for the host \(Printable.quoted(host)); check the URL, and whether the worker's "
                + "machine can look up host names"
        )
    }

    static func localPostService(_ host: String, _ address: HostAddress) -> PostClient.Failure {
        PostClient.Failure(
            description:
                "nothing was sent: the host \(Printable.quoted(host)) resolves to \(address.text), a link-local address or "
                + "the metadata service of a cloud; correct the host or its DNS entry, or write the address in the URL if "
                + "you mean it"
        )
    }

    static func failedPost(_ error: any Error, at place: String, _ limit: Duration) -> PostClient.Failure {
        return switch error {
        case let error as HTTPClientError where error == .remoteConnectionClosed:
            PostClient.Failure(
                description: "the server closed the connection without an answer; it may have got the post"
            )
        case let error as HTTPClientError where error == .deadlineExceeded: overduePost(limit)
        case let error as HTTPClientError where error == .tlsHandshakeTimeout:
            PostClient.Failure(
                description:
                    "the server at \(place), did not complete the TLS handshake in time, so nothing was sent; check "
                    + "whether the URL must begin with http:// or have another port"
            )
        case let error as HTTPClientError where error == .connectTimeout:
            PostClient.Failure(
                description:
                    "no connection to \(place), could be made in time; check the URL, and whether the worker's machine can "
                    + "reach the server"
            )
        case let error as HTTPClientError:
            PostClient.Failure(
                description: "the exchange with the server at \(place), failed: \(error.shortDescription)"
            )
        case is CancellationError: PostClient.Failure(description: "the post was cancelled before an answer came")
        case _ where error.isOfConnecting && !(error is NIOSSLError) && !(error is NIOSSLExtraError):
            PostClient.Failure(
                description:
                    "no connection to \(place): \(error.reason); check the URL, and whether the server runs, as seen from "
                    + "the worker's machine"
            )
        case _ where error.isOfConnecting: PostClient.Failure(description: "no connection to \(place): \(error.reason)")
        case is HTTPParserError:
            PostClient.Failure(
                description:
                    "the answer of the server at \(place), is not valid HTTP; check the port in the URL, and whether "
                    + "the URL must begin with http:// or https://"
            )
        default:
            PostClient.Failure(
                description: "the connection to \(place), broke: \(error.reason); the server may have got the post"
            )
        }
    }
}

extension Error {
    /// Whether the error came before anything was sent.
    var isOfConnecting: Bool {
        switch self {
        case let error as HTTPClientError: error == .connectTimeout || error == .tlsHandshakeTimeout
        case let error as IOError: [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT].contains(error.errnoCode)
        default: self is NIOConnectionError || self is NIOSSLError || self is NIOSSLExtraError
        }
    }

    /// The cause, as the system names it.
    fileprivate var reason: String {
        switch self {
        case let error as NIOConnectionError: error.connectionErrors.first?.error.reason ?? "\(error)"
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case let error as NIOSSLError where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"):
            "the worker's machine does not trust the certificate of the server; renew an expired certificate, and add "
                + "any other, or the authority that issued it, to the trusted certificates of the worker's machine"
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            "the certificate of the server is for another host; correct the host in the URL, or give the server a "
                + "certificate for this host"
        case let error as NIOSSLError where "\(error)".contains("WRONG_VERSION_NUMBER"):
            "the server does not speak TLS at this port; check whether the URL must begin with http:// or have another "
                + "port"
        case is NIOSSLError, is NIOSSLExtraError: "the TLS handshake failed (\("\(self)".shortTLSReason))"
        default: "\(self)"
        }
    }
}

extension String {
    /// The reason in a description of an error of BoringSSL, such as `NO_CIPHER_MATCH`; without one, the whole text.
    fileprivate var shortTLSReason: String {
        firstMatch(of: #/OPENSSL_internal:([A-Z0-9_]+)/#).map { String($0.output.1) } ?? self
    }
}

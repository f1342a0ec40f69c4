#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Parses the text of an endpoint.
///
/// Pure: nothing is resolved or opened.
struct EndpointSyntax {
    /// The longest permitted path in bytes: Linux allows 108 bytes, and one of them is the zero at the end.
    static let longestPath = 107

    private let text: String

    init(_ text: String) { self.text = text }

    func transport() throws(ZeroMQError) -> Endpoint.Transport {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw invalid("contains a space or a control character", "Remove that character.")
        }
        if let rest = remainder(after: "tcp://") { return try tcp(rest) }
        if let rest = remainder(after: "ipc://") { return try ipc(rest) }
        if let rest = remainder(after: "inproc://") { return try inproc(rest) }
        throw invalid(
            "does not begin with a known transport",
            "Write tcp://host:port or ipc:///path (or, within one Swift program, inproc://name)."
        )
    }

    private func remainder(after prefix: String) -> Substring? {
        text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : nil
    }

    private func tcp(_ rest: Substring) throws(ZeroMQError) -> Endpoint.Transport {
        guard !rest.hasSuffix("]"), let colon = rest.lastIndex(of: ":") else {
            throw invalid("has no port", "Write tcp://host:port; to listen at a free port, write * as the port.")
        }
        return .tcp(host: try host(rest[..<colon]), port: try port(rest[rest.index(after: colon)...]))
    }

    private func port(_ text: Substring) throws(ZeroMQError) -> UInt16? {
        if text == "*" { return nil }
        guard text.allSatisfy(\.isASCIIDigit), let port = UInt16(text), port > 0 else {
            throw invalid(
                "has the port \"\(text)\", which is not valid",
                "Write a number from 1 to 65535; to listen at a free port, write *."
            )
        }
        return port
    }

    private func host(_ text: Substring) throws(ZeroMQError) -> Endpoint.Host {
        if text == "*" { return .wildcard }
        if text.hasPrefix("["), text.hasSuffix("]") {
            return try ipv6(text.dropFirst().dropLast())
        }
        guard !text.isEmpty, text.utf8.count <= 253, text.allSatisfy(\.isHostCharacter) else {
            throw invalid(
                "has the host \"\(text)\", which is not valid",
                "Write a name, an IPv4 address, or an IPv6 address in brackets."
            )
        }
        guard text.last?.isASCIIDigit == true, text.allSatisfy({ $0.isASCIIDigit || $0 == "." }) else { return .name }
        return try ipv4(text)
    }

    private func ipv4(_ text: Substring) throws(ZeroMQError) -> Endpoint.Host {
        var address = in_addr()
        guard inet_pton(AF_INET, String(text), &address) == 1 else {
            throw invalid(
                "has the address \"\(text)\", which is not an IPv4 address",
                "Write four numbers from 0 to 255 with dots between them."
            )
        }
        return .ipv4(isLoopback: withUnsafeBytes(of: address) { $0[0] } == 127)
    }

    private func ipv6(_ text: Substring) throws(ZeroMQError) -> Endpoint.Host {
        let literal = text.prefix { $0 != "%" }
        let zone = text[literal.endIndex...].dropFirst()
        var address = in6_addr()
        let hasBadZone = literal.endIndex != text.endIndex && (zone.isEmpty || !zone.allSatisfy(\.isHostCharacter))
        guard !hasBadZone, inet_pton(AF_INET6, String(literal), &address) == 1 else {
            throw invalid(
                "has the address \"[\(text)]\", which is not an IPv6 address",
                "Write an IPv6 address in brackets, such as [::1]."
            )
        }
        let bytes = withUnsafeBytes(of: address) { [UInt8]($0) }
        return .ipv6(isLoopback: bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1)
    }

    private func ipc(_ rest: Substring) throws(ZeroMQError) -> Endpoint.Transport {
        if rest.hasPrefix("@") {
            throw invalid(
                "names an abstract socket, which every user of the machine can connect to",
                "Use a path in a directory of mode 0700."
            )
        }
        if rest == "*" {
            // libzmq would put the socket file into the directory in which the program was started.
            throw invalid("has * as its path, which is not supported", "Use a path in a directory of mode 0700.")
        }
        guard !rest.isEmpty else { throw invalid("has no path", "Write ipc:///path/to/socket.") }
        guard rest.utf8.count <= Self.longestPath else {
            throw invalid(
                "has a path of \(rest.utf8.count) bytes, which is too long",
                "Use a path of at most \(Self.longestPath) bytes."
            )
        }
        return .ipc(path: String(rest))
    }

    private func inproc(_ rest: Substring) throws(ZeroMQError) -> Endpoint.Transport {
        guard !rest.isEmpty, rest.utf8.count <= 256 else {
            throw invalid(
                "has a name of \(rest.utf8.count) bytes, which is not valid",
                "Use a name of 1 to 256 bytes. With inproc, a program reaches only itself; to reach another program, "
                    + "write tcp://host:port or ipc:///path."
            )
        }
        return .inproc(name: String(rest))
    }

    private func invalid(_ fault: String, _ next: String) -> ZeroMQError {
        ZeroMQError(.invalidEndpoint, "The endpoint \(text.debugDescription) \(fault).", next: next)
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }

    fileprivate var isHostCharacter: Bool {
        isASCII && (isLetter || isNumber || self == "." || self == "-" || self == "_")
    }
}

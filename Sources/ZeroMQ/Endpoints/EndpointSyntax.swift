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
            throw Errors.badCharacter(in: text)
        }
        if let rest = remainder(after: "tcp://") { return try tcp(rest) }
        if let rest = remainder(after: "ipc://") { return try ipc(rest) }
        if let rest = remainder(after: "inproc://") { return try inproc(rest) }
        throw Errors.unknownTransport(of: text)
    }

    private func remainder(after prefix: String) -> Substring? {
        text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : nil
    }

    private func tcp(_ rest: Substring) throws(ZeroMQError) -> Endpoint.Transport {
        guard !rest.hasSuffix("]"), let colon = rest.lastIndex(of: ":") else {
            throw Errors.noPort(in: text)
        }
        return .tcp(host: try host(rest[..<colon]), port: try port(rest[rest.index(after: colon)...]))
    }

    private func port(_ text: Substring) throws(ZeroMQError) -> UInt16? {
        if text == "*" { return nil }
        guard text.allSatisfy(\.isASCIIDigit), let port = UInt16(text), port > 0 else {
            throw Errors.badPort(text, in: self.text)
        }
        return port
    }

    private func host(_ text: Substring) throws(ZeroMQError) -> Endpoint.Host {
        if text == "*" { return .wildcard }
        if text.hasPrefix("["), text.hasSuffix("]") {
            return try ipv6(text.dropFirst().dropLast())
        }
        guard !text.isEmpty, text.utf8.count <= 253, text.allSatisfy(\.isHostCharacter) else {
            throw Errors.badHost(text, in: self.text)
        }
        guard text.last?.isASCIIDigit == true, text.allSatisfy({ $0.isASCIIDigit || $0 == "." }) else { return .name }
        return try ipv4(text)
    }

    private func ipv4(_ text: Substring) throws(ZeroMQError) -> Endpoint.Host {
        var address = in_addr()
        guard inet_pton(AF_INET, String(text), &address) == 1 else {
            throw Errors.notIPv4(text, in: self.text)
        }
        return .ipv4(isLoopback: withUnsafeBytes(of: address) { $0[0] } == 127)
    }

    private func ipv6(_ text: Substring) throws(ZeroMQError) -> Endpoint.Host {
        let literal = text.prefix { $0 != "%" }
        let zone = text[literal.endIndex...].dropFirst()
        var address = in6_addr()
        let hasBadZone = literal.endIndex != text.endIndex && (zone.isEmpty || !zone.allSatisfy(\.isHostCharacter))
        guard !hasBadZone, inet_pton(AF_INET6, String(literal), &address) == 1 else {
            throw Errors.notIPv6(text, in: self.text)
        }
        let bytes = withUnsafeBytes(of: address) { [UInt8]($0) }
        return .ipv6(isLoopback: bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1)
    }

    private func ipc(_ rest: Substring) throws(ZeroMQError) -> Endpoint.Transport {
        if rest.hasPrefix("@") {
            throw Errors.abstractSocket(in: text)
        }
        if rest == "*" {
            // libzmq would put the socket file into the directory in which the program was started.
            throw Errors.wildcardPath(in: text)
        }
        guard !rest.isEmpty else { throw Errors.noPath(in: text) }
        guard rest.utf8.count <= Self.longestPath else {
            throw Errors.longPath(in: text, sizeInBytes: rest.utf8.count, limit: Self.longestPath)
        }
        return .ipc(path: String(rest))
    }

    private func inproc(_ rest: Substring) throws(ZeroMQError) -> Endpoint.Transport {
        guard !rest.isEmpty, rest.utf8.count <= 256 else {
            throw Errors.badName(in: text, sizeInBytes: rest.utf8.count)
        }
        return .inproc(name: String(rest))
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }

    fileprivate var isHostCharacter: Bool {
        isASCII && (isLetter || isNumber || self == "." || self == "-" || self == "_")
    }
}

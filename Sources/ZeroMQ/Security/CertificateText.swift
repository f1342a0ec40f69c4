/// Parses and writes the text of a certificate file, in the format of czmq's configuration files.
///
/// Pure. A line is either a section name that begins in the first column, or an indented `name = value`. The value may
/// be in single or double quotes. A comment begins with a `#` at the start of a word, outside quotes.
enum CertificateText {
    static func parse(_ text: String, path: String) throws(ZeroMQError) -> Certificate {
        var section = ""
        var metadata: [String: String] = [:]
        var curve: [String: String] = [:]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = trimmed(withoutComment(line))
            if content.isEmpty { continue }
            guard line.first == " " || line.first == "\t" else {
                section = String(content)
                continue
            }
            guard let equals = content.firstIndex(of: "=") else {
                throw Errors.certificateLine(path, index + 1)
            }
            let name = String(trimmed(content[..<equals]))
            let value = unquoted(trimmed(content[content.index(after: equals)...]))
            if section == "curve" { curve[name] = value } else if section == "metadata" { metadata[name] = value }
        }
        return try certificate(curve, metadata, path: path)
    }

    static func write(_ certificate: Certificate, withSecret: Bool) throws(ZeroMQError) -> String {
        var text =
            withSecret
            ? "#   ZeroMQ CURVE **Secret** Certificate\n#   Keep it secret, and do not change its permissions.\n\n"
            : "#   ZeroMQ CURVE Public Certificate\n#   Share it in a way that nobody can tamper with.\n\n"
        text += "metadata\n"
        for (name, value) in certificate.metadata.sorted(by: { $0.key < $1.key }) {
            guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }),
                !value.contains(where: { $0.isNewline || $0 == "\"" })
            else {
                throw Errors.metadata(name, value)
            }
            text += "    \(name) = \"\(value)\"\n"
        }
        text += "curve\n    public-key = \"\(certificate.publicKey)\"\n"
        if withSecret, let keys = certificate.keys { text += "    secret-key = \"\(keys.secretKey.text)\"\n" }
        return text
    }

    private static func certificate(
        _ curve: [String: String],
        _ metadata: [String: String],
        path: String
    ) throws(ZeroMQError) -> Certificate {
        guard let publicText = curve["public-key"] else { throw Errors.noPublicKey(in: path) }
        guard let publicKey = try? PublicKey(publicText) else {
            throw Errors.certificateKey(path, "public-key")
        }
        guard let secretText = curve["secret-key"] else { return Certificate(publicKey, metadata: metadata) }
        guard let secretKey = try? SecretKey(secretText), let keys = try? KeyPair(secretKey: secretKey) else {
            throw Errors.certificateKey(path, "secret-key")
        }
        guard keys.publicKey == publicKey else {
            throw Errors.otherSecretKey(in: path)
        }
        return Certificate(keys, metadata: metadata)
    }

    /// The part of a line before a comment.
    ///
    /// A `#` in quotes or inside a word, as in a Z85 key, does not begin a comment.
    private static func withoutComment(_ line: Substring) -> Substring {
        var quote: Character?
        for index in line.indices {
            let character = line[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "#", line[..<index].last.map(\.isWhitespace) ?? true {
                return line[..<index]
            }
        }
        return line
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private static func unquoted(_ text: Substring) -> String {
        guard text.count >= 2, let first = text.first, first == text.last, first == "\"" || first == "'" else {
            return String(text)
        }
        return String(text.dropFirst().dropLast())
    }
}

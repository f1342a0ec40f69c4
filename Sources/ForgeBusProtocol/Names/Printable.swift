/// Makes untrusted text safe for messages, log lines and terminals.
package enum Printable {
    /// The first `limit` characters of `text` in quotation marks, with escapes for all characters but printable ASCII.
    ///
    /// A `…` shows that `text` is longer. The escapes keep the sender of the text from forging log lines and from
    /// controlling a terminal. Quotation marks and backslashes in the text are escaped, too.
    package static func quoted(_ text: String, atMost limit: Int = 80) -> String {
        var result = "\""
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar.value {
            case 0x22, 0x5C: result += "\\" + String(scalar)
            case 0x20...0x7E: result.unicodeScalars.append(scalar)
            default: result += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        return result + (text.unicodeScalars.count > limit ? "…\"" : "\"")
    }

    /// `text` as a part of one line, with an escape for each character that could forge a line.
    ///
    /// A newline becomes `\n`. The other characters that begin a line, control a terminal or change the direction of
    /// text become escapes such as `\u{202e}`. If `text` is escaped already, this function changes nothing.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.forgesLines) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case _ where scalar.forgesLines: result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// `text`, cut to at most `bytes` bytes of UTF-8; a text that is cut ends in a `…`.
    package static func cut(_ text: String, to bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var rest = bytes - "…".utf8.count
        let kept = text.unicodeScalars.prefix { scalar in
            rest -= UTF8.width(scalar)
            return rest >= 0
        }
        return String(kept) + "…"
    }
}

extension Unicode.Scalar {
    /// Whether the character can begin a line, control a terminal or change the direction of text.
    ///
    /// These are the control characters (C0, DEL, C1), the separators of lines and paragraphs, and the characters that
    /// mark, embed, override or isolate a direction of text.
    fileprivate var forgesLines: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

/// Converts between numbers and hexadecimal digits.
enum Hexadecimal {
    /// The lower-case digit for a value from 0 to 15.
    static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

    /// The value of a digit of either case; nil for any other byte.
    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}

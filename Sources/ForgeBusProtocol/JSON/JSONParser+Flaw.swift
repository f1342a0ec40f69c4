extension JSONParser {
    /// The reason why bytes are not acceptable JSON, and the offset of the flaw.
    struct Flaw: Error {
        let message: String
        let offset: Int
        /// How to correct this flaw; nil if there is only the general advice.
        var next: String?
    }
}

extension JSONParser.Flaw {
    static func loneSurrogate(at offset: Int) -> Self {
        Self(
            message: "a string has only one half of a surrogate pair",
            offset: offset,
            next: "Write the character itself in UTF-8, or both escapes of its surrogate pair."
        )
    }

    static func unescaped(_ byte: UInt8, at offset: Int) -> Self {
        let isBreak = byte == 0x0A || byte == 0x0D
        return Self(
            message: "a string has a \(isBreak ? "line break" : "control character") that is not escaped",
            offset: offset,
            next: isBreak
                ? "Write a line break in a string as \\n."
                : "Write a tab in a string as \\t, and any other control character as \\u and four hexadecimal digits."
        )
    }
}

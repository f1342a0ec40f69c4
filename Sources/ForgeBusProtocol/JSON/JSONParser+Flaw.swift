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

    static func secondValue(at offset: Int) -> Self {
        Self(
            message: "there is more text after the value",
            offset: offset,
            next: "Give only one JSON value, and put a text in double quotes."
        )
    }

    static func noValue(at offset: Int) -> Self {
        Self(
            message: "a value is expected",
            offset: offset,
            next: "Write a JSON value there: an object {…}, an array […], a text in double quotes, a number, true, "
                + "false or null."
        )
    }

    static func noWord(_ word: StaticString, at offset: Int) -> Self {
        Self(
            message: "a word without quotes must be true, false or null",
            offset: offset,
            next: "Write \(word), or put a text in double quotes."
        )
    }

    static func leadingZero(at offset: Int) -> Self {
        Self(
            message: "a number has a leading zero",
            offset: offset,
            next: "Write the number without leading zeros, or as a string in double quotes."
        )
    }

    static func tooManyKeys(at offset: Int) -> Self {
        Self(
            message: "there are more than \(WireLimits.jsonKeys) keys",
            offset: offset,
            next: "Use fewer keys, or write a part as a string that contains JSON."
        )
    }

    static func tooDeep(at offset: Int) -> Self {
        Self(
            message: "there are more than \(WireLimits.jsonDepth) levels of arrays and objects",
            offset: offset,
            next: "Use fewer levels, or write the inner levels as a string that contains JSON."
        )
    }

    static func noEscape(at offset: Int) -> Self {
        Self(
            message: "a string has a backslash that begins no escape of JSON",
            offset: offset,
            next: "In a JSON string, write each backslash itself as two backslashes."
        )
    }
}

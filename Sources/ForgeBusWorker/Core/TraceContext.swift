/// Reads the W3C trace context that a sender gives its request as `traceparent`.
enum TraceContext {
    /// The text, if it has the form that version 00 of the W3C standard defines; otherwise nil.
    ///
    /// Every version number except `ff` is accepted. Commands and HTTP servers get the text, so no text of another form
    /// may pass.
    static func checked(_ traceparent: String) -> String? {
        let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [2, 32, 16, 2], parts.allSatisfy({ $0.utf8.allSatisfy(isHexadecimal) }),
            parts[0] != "ff", parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
        else { return nil }
        return traceparent
    }

    /// The trace id in a W3C `traceparent`: 32 hexadecimal digits; nil if the text is malformed or all digits are zero.
    static func traceID(_ traceparent: String) -> String? {
        var traceparent = traceparent
        return traceparent.withUTF8 { text in
            let dash = UInt8(ascii: "-")
            // Another dash separates the parent's id from the flags.
            guard text.count > 36, text[2] == dash, text[35] == dash, text[36...].contains(dash),
                !text[..<2].contains(dash)
            else { return nil }
            let digits = text[3..<35]
            guard digits.allSatisfy(isHexadecimal), digits.contains(where: { $0 != UInt8(ascii: "0") }) else {
                return nil
            }
            return String(decoding: digits, as: UTF8.self)
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}

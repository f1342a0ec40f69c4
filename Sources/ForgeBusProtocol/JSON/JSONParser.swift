/// Parses JSON (RFC 8259) strictly, and with limits, so that a hostile sender cannot make the parser use much memory.
///
/// Beyond the grammar, the parser refuses a key that occurs twice in one object, bytes that are not UTF-8, an escape of
/// half a surrogate pair, a number beyond the range of `Double`, more than ``WireLimits/jsonDepth`` levels, more than
/// ``WireLimits/jsonKeys`` keys in total, and more than ``WireLimits/combiningMarks`` combining marks in a row.
struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var keysLeft = WireLimits.jsonKeys

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Parses bytes that contain exactly one value; white space before and after the value is allowed.
    static func parse(_ bytes: ArraySlice<UInt8>) throws(Flaw) -> JSONValue {
        let outcome: Result<JSONValue, Flaw> = bytes.withUnsafeBufferPointer { buffer in
            var parser = JSONParser(buffer)
            do throws(Flaw) { return .success(try parser.document()) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    private mutating func document() throws(Flaw) -> JSONValue {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw .secondValue(at: position) }
        return value
    }

    private mutating func value(depth: Int) throws(Flaw) -> JSONValue {
        skipSpace()
        switch peek() {
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth: depth + 1))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"): return try number()
        case let digit? where (0x30...0x39).contains(digit): return try number()
        case nil: throw flaw("the text ends where a value is expected")
        default: throw .noValue(at: position)
        }
    }

    private mutating func object(depth: Int) throws(Flaw) -> JSONObject {
        try enter(depth)
        var entries: [JSONObject.Entry] = []
        // The parser compares the first 16 keys one by one. It looks up all further keys in a set, so that a hostile
        // object does not cost quadratic time.
        var seen: Set<String> = []
        if take(UInt8(ascii: "}")) { return JSONObject() }
        entries.reserveCapacity(4)
        repeat {
            skipSpace()
            guard peek() == UInt8(ascii: "\"") else {
                throw flaw(
                    "a key in double quotes is expected",
                    next: "Write each key of an object in double quotes, and no comma after the last value."
                )
            }
            guard keysLeft > 0 else { throw .tooManyKeys(at: position) }
            keysLeft -= 1
            let key = try string()
            if entries.count == 16 { seen = Set(entries.map(\.key)) }
            let isNew = entries.count < 16 ? !entries.contains { $0.key == key } : seen.insert(key).inserted
            guard isNew else {
                throw flaw(
                    "the key \(Printable.quoted(key)) occurs twice",
                    next: "Use each key only once in an object."
                )
            }
            guard take(UInt8(ascii: ":")) else { throw flaw("a colon is expected") }
            entries.append(JSONObject.Entry(key: key, value: try value(depth: depth)))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else {
            throw flaw(
                "a comma or a closing brace is expected",
                next: "Write a comma or a closing brace there, or put the text before it in double quotes."
            )
        }
        return JSONObject(unique: entries)
    }

    private mutating func array(depth: Int) throws(Flaw) -> [JSONValue] {
        try enter(depth)
        var values: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return values }
        repeat { values.append(try value(depth: depth)) } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else {
            throw flaw(
                "a comma or a closing bracket is expected",
                next: "Write a comma or a closing bracket there, or put the text before it in double quotes."
            )
        }
        return values
    }

    private mutating func enter(_ depth: Int) throws(Flaw) {
        guard depth <= WireLimits.jsonDepth else { throw .tooDeep(at: position) }
        position += 1
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(Flaw) -> JSONValue {
        for index in 0..<text.utf8CodeUnitCount {
            guard peek() == text.utf8Start[index] else { throw .noWord(text, at: position) }
            position += 1
        }
        return value
    }

    private mutating func number() throws(Flaw) -> JSONValue {
        let start = position
        if peek() == UInt8(ascii: "-") { position += 1 }
        let whole = position
        guard digits() else { throw flaw("a digit is expected") }
        guard position == whole + 1 || bytes[whole] != 0x30 else { throw .leadingZero(at: whole) }
        var isInteger = true
        if peek() == UInt8(ascii: ".") {
            position += 1
            isInteger = false
            guard digits() else { throw flaw("a digit is expected") }
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            position += 1
            isInteger = false
            if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
            guard digits() else { throw flaw("a digit is expected") }
        }
        if isInteger, let value = integer(bytes[whole..<position], isNegative: whole > start) { return .integer(value) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let value = Double(text), value.isFinite else {
            throw flaw(
                "a number is outside the range of a 64-bit float",
                next: "Use a number between -1.79e308 and 1.79e308, or write the number as a string."
            )
        }
        return .number(value)
    }

    /// The integer with these digits; nil if the integer does not fit 64 bits.
    private func integer(_ digits: Slice<UnsafeBufferPointer<UInt8>>, isNegative: Bool) -> Int64? {
        var magnitude: UInt64 = 0
        for digit in digits {
            let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit - 0x30))
            guard !overflow, !carry else { return nil }
            magnitude = sum
        }
        guard isNegative else { return Int64(exactly: magnitude) }
        return magnitude == Int64.min.magnitude ? .min : Int64(exactly: magnitude).map { -$0 }
    }

    private mutating func digits() -> Bool {
        let start = position
        while let byte = peek(), (0x30...0x39).contains(byte) { position += 1 }
        return position > start
    }

    private mutating func string() throws(Flaw) -> String {
        position += 1
        let start = position
        let isASCII = skipPlain()
        switch peek() {
        case UInt8(ascii: "\""):
            let content = UnsafeBufferPointer(rebasing: bytes[start..<position])
            // Most strings are ASCII, and ASCII needs no UTF-8 check.
            let text = isASCII ? String(decoding: content, as: UTF8.self) : try text(content)
            position += 1
            return text
        case UInt8(ascii: "\\"): return try escapedString(from: start)
        case nil: throw flaw("a string does not end")
        case let byte?: throw .unescaped(byte, at: position)
        }
    }

    /// Skips to the next byte with a special meaning in a string.
    ///
    /// - Returns: Whether all skipped bytes are certainly ASCII; the result may be false for ASCII, too.
    private mutating func skipPlain() -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        var isASCII = true
        while position + ByteWord.size <= raw.count {
            let word = ByteWord(raw, at: position)
            isASCII = isASCII && word.isASCII
            position += word.plainPrefix
            if word.plainPrefix < ByteWord.size { break }
        }
        while let byte = peek(), byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            isASCII = isASCII && byte < 0x80
            position += 1
        }
        return isASCII
    }

    private mutating func escapedString(from start: Int) throws(Flaw) -> String {
        var content = Array(bytes[start..<position])
        while let byte = peek() {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(content)
            case UInt8(ascii: "\\"): content.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20: throw .unescaped(byte, at: position - 1)
            default: content.append(byte)
            }
        }
        throw flaw("a string does not end")
    }

    private mutating func escape() throws(Flaw) -> Unicode.Scalar {
        guard let byte = peek() else { throw flaw("a string does not end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw .noEscape(at: position - 2)
        }
    }

    private mutating func unicodeEscape() throws(Flaw) -> Unicode.Scalar {
        let unit = try hexadecimalUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard (0xD800..<0xDC00).contains(unit), peek() == UInt8(ascii: "\\") else { throw .loneSurrogate(at: position) }
        position += 1
        guard peek() == UInt8(ascii: "u") else { throw .loneSurrogate(at: position) }
        position += 1
        let low = try hexadecimalUnit()
        guard (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw .loneSurrogate(at: position) }
        return scalar
    }

    private mutating func hexadecimalUnit() throws(Flaw) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = Hexadecimal.value(byte) else {
                throw flaw(
                    "four hexadecimal digits are expected after \\u in a string",
                    next: "Write four hexadecimal digits after \\u, or two backslashes for a backslash itself."
                )
            }
            position += 1
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    private func text(_ content: some Sequence<UInt8>) throws(Flaw) -> String {
        guard let text = String(validating: content, as: UTF8.self) else { throw flaw("a string is not UTF-8") }
        guard text.isStreamSafe else {
            throw flaw(
                "a string has more than \(WireLimits.combiningMarks) combining marks in a row",
                next: "Remove some of these marks: they are accents and other signs that are added to a letter."
            )
        }
        return text
    }

    private func flaw(_ message: String, next: String? = nil) -> Flaw {
        Flaw(message: message, offset: position, next: next)
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }
}

extension String {
    /// Whether the string has at most ``WireLimits/combiningMarks`` combining marks in a row.
    ///
    /// A comparison of strings normalises them, and so sorts such a row: a long row would cost quadratic time at each
    /// comparison. No ordinary text has a longer row (Unicode Standard Annex 15, "Stream-Safe Text Format").
    fileprivate var isStreamSafe: Bool {
        // The first combining mark is U+0300, whose UTF-8 is 0xCC 0x80.
        guard utf8.contains(where: { $0 >= 0xCC }) else { return true }
        var row = 0
        for scalar in unicodeScalars {
            row = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : row + 1
            if row > WireLimits.combiningMarks { return false }
        }
        return true
    }
}

import ForgeBusProtocol
import Testing

/// What the golden vectors cannot show: where a flaw is, and what only Swift sees.
@Suite("JSON")
struct JSONTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)[...]) }

    @Test(
        "that is refused says where",
        arguments: [
            ("[1,]", 3), ("{\"a\":1,\"a\":2}", 10), ("1 2", 2), ("", 0), ("\"a", 2), ("\"a\\q\"", 2), ("\"\\n\n\"", 3),
            ("[-007]", 2),
        ]
    )
    func saysWhere(text: String, offset: Int) throws {
        let error = #expect(throws: BusError.self) { try parse(text) }
        #expect(error?.code == .badBody)
        #expect(error?.message.hasSuffix("at byte \(offset).") == true, "\(error?.message ?? "")")
    }

    @Test("is read where it lies, in the middle of a buffer")
    func isReadInTheMiddleOfABuffer() throws {
        let buffer = Array("xx{\"a\":[1]}yy".utf8)
        #expect(try JSONValue(parsing: buffer[2..<(buffer.count - 2)]) == ["a": [1]])
    }

    @Test("integers of any size and sign are written in full", arguments: [0, 9, 10, -1, -10, Int64.max, .min])
    func integers(value: Int64) throws {
        #expect(JSONValue.integer(value).description == "\(value)")
        #expect(try parse("\(value)") == .integer(value))
    }

    @Test("keeps the order of keys and is written without white space")
    func keepsOrder() throws {
        let value = try parse(" { \"b\" : 1 , \"a\" : [ true , null ] } ")
        #expect(value.description == "{\"b\":1,\"a\":[true,null]}")
    }

    @Test(
        "numbers survive being written and read",
        arguments: [0.1, -0.0, 1e16, 1e300, .leastNonzeroMagnitude, 1.7976931348623157e308, 123456.789, 1e-7]
            as [Double]
    )
    func numbersSurvive(number: Double) throws {
        let value = try JSONValue(parsing: JSONValue.number(number).encoded[...])
        guard case .number(let read) = value else {
            Issue.record("\(number) was read as \(value.typeName)")
            return
        }
        #expect(read.bitPattern == number.bitPattern)
    }

    @Test(
        "integers survive to the last digit",
        arguments: [.min, -1, 0, 9, 10, 9_007_199_254_740_993, .max] as [Int64]
    )
    func integersSurvive(integer: Int64) throws {
        #expect(try JSONValue(parsing: JSONValue.integer(integer).encoded[...]) == .integer(integer))
    }

    @Test("strings survive, whatever they hold")
    func stringsSurvive() throws {
        let text = String(String.UnicodeScalarView((0...0x2FF).compactMap { Unicode.Scalar($0) })) + "😀\u{2028}"
        #expect(try JSONValue(parsing: JSONValue.string(text).encoded[...]) == .string(text))
    }

    @Test("a string is escaped where it must be, wherever that is", arguments: 0...17)
    func escapes(position: Int) throws {
        let escaped = [
            "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\u{1F}": "\\u001f", "\u{7F}": "\\u007f", "é": "é", "~": "~",
        ]
        for (character, form) in escaped {
            for rest in 0...9 {
                let (before, after) = (String(repeating: "a", count: position), String(repeating: "z", count: rest))
                let text = before + character + after
                #expect(JSONValue.string(text).description == "\"\(before)\(form)\(after)\"")
                #expect(try parse("\"\(before)\(form)\(after)\"") == .string(text))
            }
        }
    }

    @Test("a control character in a string is found where it is", arguments: 0...17)
    func findsControlCharacters(position: Int) throws {
        for control: UInt8 in 0..<0x20 {
            let text = Array("\"".utf8) + Array(repeating: 0x61, count: position) + [control] + Array("aaaaaaaa\"".utf8)
            let error = #expect(throws: BusError.self) { try JSONValue(parsing: text[...]) }
            #expect(error?.message.hasSuffix("at byte \(position + 1).") == true)
        }
    }

    @Test("becomes the Swift values code works with")
    func becomesSwiftValues() throws {
        let value = try parse(
            "{\"s\":\"a\",\"i\":3,\"d\":0.5,\"b\":true,\"l\":[1,2],\"o\":{\"k\":\"v\"},\"n\":null,\"m\":[null]}"
        )
        let object = try #require(value.swiftValue as? [String: any Sendable])
        #expect(object["s"] as? String == "a")
        #expect(object["i"] as? Int == 3)
        #expect(object["d"] as? Double == 0.5)
        #expect(object["b"] as? Bool == true)
        #expect(object["l"] as? [Int] == [1, 2])
        #expect(object["o"] as? [String: String] == ["k": "v"])
        #expect(object["n"] as? JSONValue == .null)
        #expect(object["m"] as? [JSONValue] == [.null])
        #expect(JSONValue.null.swiftValue == nil)
    }

    @Test("comes from Swift values, keys in order, and not from what has no JSON form")
    func comesFromSwiftValues() {
        let nested: [String: any Sendable] = ["b": [1, 2] as [Int], "a": UInt8(7), "c": Float(0.5)]
        #expect(JSONValue(swiftValue: nested)?.description == "{\"a\":7,\"b\":[1,2],\"c\":0.5}")
        #expect(JSONValue(swiftValue: true) == .bool(true))
        #expect(JSONValue(swiftValue: UInt64.max) == nil)
        #expect(JSONValue(swiftValue: Double.nan) == nil)
        #expect(JSONValue(swiftValue: [Double.infinity]) == nil)
        #expect(JSONValue(swiftValue: Duration.seconds(1)) == nil)
        #expect(JSONValue(swiftValue: ["k": Duration.seconds(1)]) == nil)
    }

    @Test("objects are changed key by key")
    func objectsAreChanged() {
        var object: JSONObject = ["a": 1, "b": 2, "a": 3]
        #expect(object.entries.map(\.key) == ["a", "b"])
        #expect(object["a"] == 3)
        object["c"] = nil
        object["a"] = Optional<JSONValue>.none
        object["d"] = JSONValue.null
        #expect(object.entries.map(\.key) == ["b", "d"])
        #expect(object["d"] == .some(.null))
        #expect(object["a"] == .none)
        #expect(!object.isEmpty && JSONObject().isEmpty)
    }

    @Test(
        "a megabyte of brackets, quotation marks or digits is refused or read, never a trap",
        arguments: ["[", "{\"a\":", "\"", "9", "\\"]
    )
    func hostileSizes(piece: String) {
        let bytes = Array(
            repeatElement(Array(piece.utf8), count: WireLimits.frameSizeInBytes / piece.utf8.count).joined()
        )
        #expect(throws: BusError.self) { try JSONValue(parsing: bytes[...]) }
    }
}

import Testing

@testable import ForgeBusProtocol

@Suite("Attributes")
struct AttributeTests {
    /// The frames of the first golden vector of each command.
    private static let examples = Dictionary(
        Golden.shared.vectors.filter { $0.error == nil }.map { ($0.bytes[0], $0.bytes) },
        uniquingKeysWith: { first, _ in first }
    )

    /// A message of the command with the subject and the body of its first golden vector.
    private static func frames(_ word: String, attributes: String) -> Frames {
        let command = Array("FORGE/1 \(word)".utf8)
        let example = examples[command]
        return Frames(
            command: command[...],
            id: Array("1".utf8)[...],
            subject: example?[2][...] ?? [],
            attributes: Array(attributes.utf8)[...],
            body: example?[4][...] ?? []
        )
    }

    private static func refusal(_ word: String, attributes: String) -> BusError? {
        do throws(BusError) { _ = try Request(decoding: frames(word, attributes: attributes)) } catch { return error }
        return nil
    }

    /// Every attribute a table of `Protocol.md` gives to some command.
    private static let all = Set(Request.Command.words.flatMap(attributes))

    /// A message of the command with its required attributes and `attribute`, which may be one of them.
    private static func object(_ word: String, with attribute: String? = nil, _ value: String = "") -> String {
        var members = required(of: word).filter { $0 != attribute }.map { "\"\($0)\":1" }
        if let attribute { members.append("\"\(attribute)\":\(value)") }
        return "{\(members.joined(separator: ","))}"
    }

    private static func required(of word: String) -> [String] {
        let rows = ProtocolDocument.shared.section(word).table(headed: "attribute")
        return rows.filter { $0[3] == "required" }.map { $0[0].unticked }
    }

    private static func attributes(of word: String) -> [String] {
        ProtocolDocument.shared.section(word).table(headed: "attribute").map { $0[0].unticked }
    }

    @Test("of a command are those of its table in Protocol.md", arguments: Request.Command.words)
    func areThoseOfTheTable(word: String) {
        let own = Self.attributes(of: word)
        for attribute in Self.all {
            let error = Self.refusal(word, attributes: "{\"\(attribute)\":[]}")
            #expect(error?.code == .badAttribute, "\(attribute)")
            let misplaced = [false, true].contains { isOfMany in
                let misplaced = Errors.misplacedAttribute(attribute, of: word, isOfMany: isOfMany, taken: [])
                return error?.message == misplaced.message
            }
            #expect(
                misplaced == !own.contains(attribute),
                "\(attribute): \(error?.message ?? "")"
            )
        }
    }

    @Test(
        "have the defaults of their table, so that sending a default changes nothing",
        arguments: Request.Command.words
    )
    func haveTheirDefaults(word: String) throws {
        for row in ProtocolDocument.shared.section(word).table(headed: "attribute") {
            let (attribute, type) = (row[0].unticked, row[1])
            let written = row[3].unticked.replacing(",", with: "")
            if ["none", "the worker's", "required"].contains(written) { continue }
            let value = type == "string" ? "\"\(written)\"" : written
            let spelledOut = try Request(
                decoding: Self.frames(word, attributes: Self.object(word, with: attribute, value))
            )
            #expect(
                try spelledOut == Request(decoding: Self.frames(word, attributes: Self.object(word))),
                "\(attribute)"
            )
        }
    }

    @Test(
        "keep to the limits of their table, first and last value taken, the ones beside them not",
        arguments: Request.Command.words
    )
    func keepToTheirLimits(word: String) throws {
        for row in ProtocolDocument.shared.section(word).table(headed: "attribute")
        where row[1].hasPrefix("integer") {
            let bounds = row[2].replacing(",", with: "").split(separator: " to ").compactMap { Int64($0) }
            try #require(bounds.count == 2)
            for (value, isTaken) in [
                (bounds[0], true), (bounds[1], true), (bounds[0] - 1, false), (bounds[1] + 1, false),
            ] {
                let error = Self.refusal(word, attributes: Self.object(word, with: row[0].unticked, "\(value)"))
                #expect((error == nil) == isTaken, "\(row[0]) \(value)")
            }
        }
    }

    @Test("that are words take each word of their table", arguments: Request.Command.words)
    func takeEachWord(word: String) {
        for row in ProtocolDocument.shared.section(word).table(headed: "attribute")
        where row[2].contains(" or ") {
            let choices = row[2].matches(of: /`([^`]+)`/).map { String($0.1) }
            #expect(choices.count > 1)
            for choice in choices {
                let attributes = Self.object(word, with: row[0].unticked, "\"\(choice)\"")
                #expect(Self.refusal(word, attributes: attributes) == nil, "\(choice)")
            }
        }
    }

    @Test("that their table requires may not be absent", arguments: Request.Command.words)
    func mayNotBeAbsent(word: String) {
        let required = Self.required(of: word)
        #expect(required == ["WATCH": ["credit"], "MODE": ["ttl_ms"]][word] ?? [])
        let error = Self.refusal(word, attributes: "{}")
        #expect(error == required.first.map(Errors.missingAttribute))
        #expect(Self.refusal(word, attributes: Self.object(word)) == nil)
    }

    @Test("name the word that was meant and what the command takes")
    func nameTheWord() {
        let error = Self.refusal("RUN", attributes: "{\"deadlin_ms\":5}")
        #expect(error?.message.contains("\"deadlin_ms\"") == true)
        #expect(error?.message.contains("`deadline_ms`") == true)
        #expect(error?.next.contains("`deadline_ms`") == true)
        #expect(error?.next.contains("`source`") == true)
    }

    @Test("that are misplaced or misspelt are found wherever they stand")
    func areFoundAnywhere() {
        let many = (0..<500).map { "\"x\($0)\":0," }.joined()
        #expect(Self.refusal("PING", attributes: "{\(many)\"y\":0}") == nil)
        #expect(Self.refusal("PING", attributes: "{\(many)\"limit\":1}")?.code == .badAttribute)
        #expect(Self.refusal("LIST", attributes: "{\(many)\"limitt\":1}")?.code == .badAttribute)
    }
}

@Suite("Durations on the wire")
struct WireDurationTests {
    @Test("are whole units, towards zero")
    func areWhole() {
        #expect(Duration.microseconds(1999).milliseconds == 1)
        #expect(Duration.microseconds(-1999).milliseconds == -1)
        #expect(Duration.nanoseconds(2999).microseconds == 2)
    }

    @Test("of any length end at the last integer instead of trapping")
    func endAtTheLastInteger() {
        #expect(Duration.milliseconds(Int64.max).milliseconds == .max)
        #expect(Duration.milliseconds(Int64.min).milliseconds == .min)
        #expect((Duration.milliseconds(Int64.max) + .milliseconds(100)).milliseconds == .max)
        #expect((Duration.milliseconds(Int64.min) - .milliseconds(100)).milliseconds == .min)
        #expect(Duration.seconds(Int64.max).milliseconds == .max)
        #expect(Duration.seconds(Int64.min).milliseconds == .min)
        #expect((Duration.microseconds(Int64.max) + .microseconds(500)).microseconds == .max)
        #expect(Duration.seconds(Int64.max).microseconds == .max)
        #expect(Duration.seconds(Int64.min).microseconds == .min)
    }
}

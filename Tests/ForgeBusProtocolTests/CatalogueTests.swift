import ForgeBusProtocol
import Testing

@Suite("Protocol.md")
struct CatalogueTests {
    private let document = ProtocolDocument.shared

    @Test("lists the codes of the catalogue, in its order, with its words")
    func listsTheCodes() {
        let rows = document.section("Error catalogue").table(headed: "code")
        let catalogue = ErrorCode.catalogue.map { ["`\($0.code)`", $0.meaning, $0.isRetryable ? "yes" : "no"] }
        #expect(rows.map { Array($0.prefix(3)) } == catalogue)
    }

    @Test("gives details to two codes")
    func givesDetails() {
        let rows = document.section("Error catalogue").table(headed: "code").filter { !$0[3].isEmpty }
        #expect(rows.map { [$0[0], $0[3]] } == [["`id_conflict`", "`run`"], ["`busy`", "`limit`"]])
    }

    @Test("has a section and a rule of grammar for each command", arguments: RequestWord.allCases)
    func hasEachCommand(word: RequestWord) {
        #expect(document.headings.count { $0 == word.rawValue } == 1)
        #expect(document.section("Grammar").text.contains("\nC:\(word.rawValue) "))
        #expect(document.section("Grammar").text.contains("%s\"FORGE/1 \(word.rawValue)\""))
    }

    @Test("has a section and a rule of grammar for each answer", arguments: AnswerWord.allCases)
    func hasEachAnswer(word: AnswerWord) {
        #expect(document.headings.count { $0 == word.rawValue } == 1)
        #expect(document.section("Grammar").text.contains("\nS:\(word.rawValue) "))
        #expect(document.section("Grammar").text.contains("%s\"FORGE/1 \(word.rawValue)\""))
    }

    @Test("has no message that the code does not have")
    func hasNoOther() {
        let words = RequestWord.allCases.map { "C:\($0.rawValue)" } + AnswerWord.allCases.map { "S:\($0.rawValue)" }
        let rules = document.section("Grammar").text.split(separator: "\n").compactMap {
            $0.split(separator: " ").first
        }
        #expect(rules.filter { $0.hasPrefix("C:") || $0.hasPrefix("S:") }.map(String.init) == words)
    }

    @Test("names only codes of the catalogue where a command lists its errors", arguments: RequestWord.allCases)
    func namesKnownCodes(word: RequestWord) throws {
        let known = Set(ErrorCode.catalogue.map(\.code.rawValue))
        let text = document.section(word.rawValue).text
        let errors = try #require(text.range(of: "\nErrors:"))
        let list = text[errors.upperBound...].prefix { $0 != "." }
        let codes = list.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        #expect(!codes.isEmpty)
        #expect(codes.filter { !known.contains($0) } == [])
    }

    @Test("lists every verdict, and each word of a run's end")
    func listsWords() {
        let standing = Verdict.Standing(decision: "approved", principal: "local", unixMilliseconds: 0)
        let verdicts: [Verdict] = [
            .delivered, .counted(have: 1, need: 2), .buffered(for: .zero), .duplicate, .conflict(standing), .expired,
            .closed(why: ""), .forbidden(why: ""), .unknown,
        ]
        #expect(document.section("Verdicts").table(headed: "verdict").map { $0[0].unticked } == verdicts.map(\.word))
        let states = document.section("RESULT").table(headed: "state").map { $0[0].unticked }
        #expect(states == RunResult.State.allCases.map(\.rawValue))
        let kinds = document.section("PAGE").table(headed: "kind").map { $0[0].unticked }
        #expect(kinds == ListKind.allCases.map(\.rawValue))
        let durabilities = document.section("Durability").table(headed: "word").map { $0[0].unticked }
        #expect(durabilities == Durability.allCases.map(\.rawValue))
    }

    @Test("shows examples that are messages, written as the code writes them")
    func showsMessages() throws {
        let examples = document.examples
        for example in examples {
            let frames = try #require(Frames(example.frames), "\(example.frames.count) frames")
            let message = try Wire.read(example.isRequest ? .request : .answer, frames)
            #expect(message.frames.bytes == frames.bytes, "written as \(message.frames.text)")
        }
        let requests = examples.filter(\.isRequest).map { String(decoding: $0.frames[0], as: UTF8.self) }
        #expect(
            Set(requests) == Set(RequestWord.allCases.map { "FORGE/1 \($0.rawValue)" }),
            "each command has an example"
        )
    }

    @Test("reserves words that are unknown commands today")
    func reservesWords() throws {
        let text = document.section("Versioning and extension").text
        let words = ["HELLO", "WELCOME", "ATTACH", "CANCEL", "REDRIVE", "SHOW", "WATCH", "MODE", "ADMIN"]
        for word in words {
            #expect(text.contains("`\(word)`"))
            let frames = Frames(command: Array("FORGE/1 \(word)".utf8)[...], id: [0x31])
            #expect(#expect(throws: BusError.self) { try Request(decoding: frames) }?.code == .unknownCommand)
        }
    }
}

@Suite("A code")
struct ErrorCodeTests {
    @Test("stands in the catalogue once, in lower case")
    func standsOnce() {
        #expect(Set(ErrorCode.catalogue.map(\.code)).count == ErrorCode.catalogue.count)
        for entry in ErrorCode.catalogue {
            #expect(entry.code.rawValue.utf8.allSatisfy { (97...122).contains($0) || $0 == UInt8(ascii: "_") })
            #expect(entry.meaning.hasSuffix("."))
        }
    }

    @Test("that is not known is carried and not retried")
    func unknownIsCarried() throws {
        let error = BusError(ErrorCode(rawValue: "too_hot"), "It is too hot.", next: "Wait.")
        #expect(!error.isRetryable)
        #expect(try Answer(decoding: Answer(to: nil, .error(error)).frames).content == .error(error))
    }

    @Test("of the catalogue survives the wire with its details", arguments: ErrorCode.catalogue.map(\.code))
    func survivesTheWire(code: ErrorCode) throws {
        let details: JSONObject = ["limit": "queued", "why": [nil, 1.5]]
        let error = BusError(
            code,
            "The cause.",
            next: "The next move.",
            retryAfter: .milliseconds(250),
            details: details
        )
        let answer = Answer(to: try RequestID("1"), .error(error))
        #expect(try Answer(decoding: answer.frames) == answer)
        #expect(error.isRetryable == ErrorCode.catalogue.first { $0.code == code }?.isRetryable)
    }
}

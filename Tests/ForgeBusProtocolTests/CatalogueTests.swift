import ForgeBusProtocol
import Foundation
import TestSupport
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

    @Test("gives details to five codes of a worker, and to a client's codes of an unknown outcome")
    func givesDetails() {
        let rows = document.section("Error catalogue").table(headed: "code").filter { !$0[3].isEmpty }
        let unknown = ["timeout", "closed", "cancelled", "other_store", "bad_answer"]
        #expect(
            rows.map { [$0[0], $0[3]] } == [
                ["`bad_seed`", "`seed`, `expected`"], ["`forbidden`", "`grant`"], ["`id_conflict`", "`run`"],
                ["`count_differs`", "`count`"],
                ["`busy`", "`limit`"],
            ] + unknown.map { ["`\($0)`", "`request`, `store`"] }
        )
    }

    @Test("is of the verbs that are read: each file of Verbs/ that has words is in the list")
    func verbsAreListed() throws {
        let folder = "Sources/ForgeBusProtocol/Verbs"
        let files = try Repository.files(below: folder, endingWith: ".swift")
        let written = try files.flatMap { file in
            try Repository.text(of: "\(folder)/\(file)").matches(of: /static let words = \[(.+)\]/).flatMap { match in
                match.1.split(separator: ", ").map { String($0.dropFirst().dropLast()) }
            }
        }
        #expect(written.sorted() == Request.Command.words.sorted())
    }

    @Test("has a section and a rule of grammar for each command", arguments: Request.Command.words)
    func hasEachCommand(word: String) {
        #expect(document.headings.count { $0 == word } == 1)
        #expect(document.section("Grammar").text.contains("\nC:\(word) "))
        #expect(document.section("Grammar").text.contains("%s\"FORGE/1 \(word)\""))
    }

    @Test("has a section and a rule of grammar for each answer", arguments: AnswerWord.allCases)
    func hasEachAnswer(word: AnswerWord) {
        #expect(document.headings.count { $0 == word.rawValue } == 1)
        #expect(document.section("Grammar").text.contains("\nS:\(word.rawValue) "))
        #expect(document.section("Grammar").text.contains("%s\"FORGE/1 \(word.rawValue)\""))
    }

    @Test("has no message that the code does not have")
    func hasNoOther() {
        let words = Request.Command.words.map { "C:\($0)" } + AnswerWord.allCases.map { "S:\($0.rawValue)" }
        let rules = document.section("Grammar").text.split(separator: "\n").compactMap {
            $0.split(separator: " ").first
        }
        #expect(rules.filter { $0.hasPrefix("C:") || $0.hasPrefix("S:") }.map(String.init) == words)
    }

    @Test("has each command in a rule of an exchange, and each exchange in the rule of all of them")
    func hasExchanges() throws {
        let rules = document.section("Grammar").text.split(separator: "\n\n").flatMap { $0.split(separator: "\n") }
        let all = try #require(rules.first { $0.hasPrefix("exchange ") })
        let named = Set(all.matches(of: /[a-z]+/).map { String($0.output) }).subtracting(["exchange"])
        let exchanges = rules.filter { $0.contains("= ") && $0.contains("S:ERROR )") && !$0.hasPrefix(" ") }
            .map { String($0.prefix { $0 != " " }) }
        #expect(named == Set(exchanges))
        let said = rules.filter { $0.contains("S:ERROR )") }.flatMap { $0.split(separator: " ") }
        #expect(Request.Command.words.filter { !said.contains("C:\($0)") } == [])
    }

    @Test("says of each command what a vector holds, and whether it may go to any store")
    func saysMore() throws {
        let vectors = document.section("Test vectors").table(headed: "message").flatMap { $0[0].split(separator: ", ") }
        #expect(Request.Command.words.filter { !vectors.contains(Substring($0)) } == [])
        let free = Request.Command.verbs.filter { !$0.isLedgered && !$0.isTiedToStore }.flatMap { $0.words }
        let text = document.section("Same id, one run").text
        let list = try #require(text.range(of: "or none: that worker would treat it as a new request. "))
        let sentence = text[list.upperBound...].prefix { $0 != "." }
        #expect(Set(sentence.matches(of: /[A-Z]{2,}/).map { String($0.output) }) == Set(free))
        let busy = document.section("Outstanding requests").text
        let watches = ["WATCH", "UNWATCH", "ATTACH"]
        #expect(free.filter { !watches.contains($0) && !busy.contains($0) } == [])
    }

    @Test("names only codes of the catalogue where a command lists its errors", arguments: Request.Command.words)
    func namesKnownCodes(word: String) throws {
        let known = Set(ErrorCode.catalogue.map(\.code.rawValue))
        let text = document.section(word).text
        let errors = try #require(text.range(of: "\nErrors:"))
        let list = text[errors.upperBound...].prefix { $0 != "." }
        let codes = list.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
        #expect(!codes.isEmpty)
        #expect(codes.filter { !known.contains($0) } == [])
    }

    @Test("lists every verdict, and each word of a run's end")
    func listsWords() {
        let standing = Verdict.Standing(decision: .approved, principal: "local", unixMilliseconds: 0)
        let verdicts: [Verdict] = [
            .delivered, .counted(have: 1, need: 2), .buffered(for: .zero), .duplicate, .conflict(standing), .expired,
            .closed(why: ""), .forbidden(why: ""), .unknown(why: ""),
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
            try #require(example.frames.count == (example.direction == .publication ? 6 : 5))
            let message = try Wire.read(example.direction, example.frames)
            #expect(message.bytes == example.frames, "written as \(Wire.text(of: message.bytes))")
        }
        #expect(examples.contains { $0.direction == .publication })
        let words = examples.filter { $0.direction != .publication }
            .map { String(decoding: $0.frames[0], as: UTF8.self) }
        let all = Request.Command.words + AnswerWord.allCases.map(\.rawValue)
        #expect(all.filter { !words.contains("FORGE/1 \($0)") } == [], "these have no example")
    }

    @Test("has a next move for each code of the catalogue, in its order")
    func hasNextMoves() {
        let rows = document.section("Error catalogue").table(headed: "code | next move")
        #expect(rows.map { $0[0].unticked } == ErrorCode.catalogue.map(\.code.rawValue))
        #expect(rows.allSatisfy { !$0[1].isEmpty })
    }

    @Test("gives the names and values that WELCOME gives to the limits of the wire")
    func namesLimits() {
        let rows = document.section("Limits").table(headed: "what | at most").filter { !$0[3].isEmpty }
        #expect(Set(rows.map { $0[3].unticked }) == Set(WireLimits.byName.keys))
        for row in rows {
            let number = Int(row[1].replacing(",", with: "").prefix { $0.isNumber }) ?? 0
            let unit = row[1].contains("MiB") ? 1024 * 1024 : row[1].contains("days") ? 24 * 3600 * 1000 : 1
            #expect(WireLimits.byName[row[3].unticked] == number * unit, "\(row)")
        }
    }

    @Test("lists each change of a run, each word of OK and each kind of SHOW")
    func listsWordsOfSteering() {
        let changes = document.section("PROGRESS").table(headed: "state").map { $0[0].unticked }
        #expect(changes == ["started", "finished", "waiting", "resumed", "retrying", "parked", "redriven"])
        let states = document.section("OK").table(headed: "state").map { $0[0].unticked }
        #expect(states == StateReport.State.allCases.map(\.rawValue))
        let kinds = document.section("Grammar").text.split(separator: "\n").first { $0.hasPrefix("item ") }
        #expect(ItemKind.allCases.allSatisfy { kinds?.contains("%s\"\($0.rawValue)\"") == true })
    }

    @Test("gives each command the right that its verb needs, and no other")
    func givesRights() {
        let rows = document.section("Security aspects").table(headed: "right")
        // No command needs the right to act for others: its attribute `as` does.
        let given = rows.filter { $0[0].unticked != Right.actAs.rawValue }.flatMap { row in
            row[1].components(separatedBy: ", ").filter { !$0.hasPrefix("and ") }.map { "\($0): \(row[0].unticked)" }
        }
        let needed = Request.Command.verbs.flatMap { verb in
            verb.words.map { "\($0): \(verb.right?.rawValue ?? "none")" }
        }
        #expect(Set(needed).subtracting(given) == [], "missing")
        #expect(Set(given).subtracting(needed) == [], "wrong")
    }

    @Test("says of each command whether it is in the ledger")
    func tellsOfTheLedger() {
        let text = document.section("Same id, one run").text.replacing("\n", with: " ")
        let sentences = text.components(separatedBy: ". ").prefix(2)
        let told = sentences.map { $0.split { !$0.isLetter }.map(String.init) }
        for verb in Request.Command.verbs {
            for word in verb.words {
                #expect(told.map { $0.contains(word) } == [verb.isLedgered, !verb.isLedgered], "\(word)")
            }
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

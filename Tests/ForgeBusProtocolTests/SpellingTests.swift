import ForgeBusProtocol
import Testing

@Suite("A misspelt word")
struct SpellingTests {
    @Test(
        "is one or two edits away",
        arguments: [
            ("repl", "reply"), ("replyy", "reply"), ("rexly", "reply"), ("repyl", "reply"), ("erpyl", "reply"),
            ("deadlinems", "deadline_ms"), ("dedline-ms", "deadline_ms"),
        ]
    )
    func isNear(word: String, known: String) {
        #expect(Spelling.isWithinTwoEdits(word, known))
        #expect(Spelling.isWithinTwoEdits(known, word))
    }

    @Test(
        "is not three edits away, nor the word itself, nor too short to tell",
        arguments: [
            ("reply", "reply"), ("rep", "reply"), ("lim", "limit"), ("deadline", "deadline_ms"), ("lemon", "limit"),
            ("", "reply"), ("REPLY", "reply"), ("priority", "progress"),
        ]
    )
    func isNotNear(word: String, known: String) { #expect(!Spelling.isWithinTwoEdits(word, known)) }

    @Test("edits no byte twice: a swap with something put between is three edits")
    func editsNoByteTwice() {
        #expect(!Spelling.isWithinTwoEdits("abcdca", "abcdabc"))
        #expect(Spelling.isWithinTwoEdits("abdc", "abcd"))
        #expect(Spelling.isWithinTwoEdits("badc", "abcd"))
    }

    @Test("agrees with the distance written down as its definition says")
    func agreesWithItsDefinition() {
        var random = SplitMix64(state: 3)
        for _ in 0..<20_000 {
            let a = (0..<Int.random(in: 4...7, using: &random)).map { _ in UInt8.random(in: 97...99, using: &random) }
            let b = (0..<Int.random(in: 4...7, using: &random)).map { _ in UInt8.random(in: 97...99, using: &random) }
            let near = Spelling.isWithinTwoEdits(String(decoding: a, as: UTF8.self), String(decoding: b, as: UTF8.self))
            #expect(near == (a != b && Self.distance(a[...], b[...], atMost: 2) <= 2), "\(a) \(b)")
        }
    }

    @Test("of any length is judged without delay or trap")
    func anyLength() {
        #expect(!Spelling.isWithinTwoEdits(String(repeating: "a", count: 60_000), "reply"))
    }

    @Test("is guessed among known words")
    func isGuessed() {
        #expect(Spelling.guess("deadlin_ms", among: ["reply", "deadline_ms"]) == "deadline_ms")
        #expect(Spelling.guess("colour", among: ["reply", "deadline_ms"]) == nil)
    }

    /// The optimal string alignment distance from the ends of both words; more than `most` counts as `most + 1`.
    private static func distance(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>, atMost most: Int) -> Int {
        if most < 0 { return 0 }
        guard let x = a.last, let y = b.last else { return max(a.count, b.count) }
        if x == y { return distance(a.dropLast(), b.dropLast(), atMost: most) }
        var best = min(
            distance(a.dropLast(), b, atMost: most - 1),
            distance(a, b.dropLast(), atMost: most - 1),
            distance(a.dropLast(), b.dropLast(), atMost: most - 1)
        )
        if a.count > 1, b.count > 1, x == b.dropLast().last, y == a.dropLast().last {
            best = min(best, distance(a.dropLast(2), b.dropLast(2), atMost: most - 1))
        }
        return best + 1
    }
}

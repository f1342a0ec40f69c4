import ForgeBusProtocol
import Testing

/// What the golden vectors cannot show: which subscription a pattern needs, and what Swift sees.
@Suite("A publication")
struct PublicationTests {
    @Test(
        "is subscribed to by the tokens before the first star or rest",
        arguments: [
            (">", ""), ("*", ""), ("*.x", ""), ("stock.>", "stock."), ("stock.*", "stock."),
            ("stock.*.price", "stock."), ("a.b", "a.b."), ("stock", "stock."),
        ] as [(NamePattern, String)]
    )
    func isSubscribedTo(pattern: NamePattern, prefix: String) {
        #expect(Publication.subscription(for: pattern) == prefix)
    }

    @Test("that a pattern means is never missed by the pattern's subscription, and its neighbour by a literal one is")
    func isNeverMissed() throws {
        var random = SplitMix64(state: 5)
        let tokens = ["a", "b", "ab", "*", ">"]
        var meant = 0
        for _ in 0..<20_000 {
            let parts = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                tokens.randomElement(using: &random) ?? "a"
            }
            let name = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                tokens.prefix(3).randomElement(using: &random) ?? "a"
            }
            guard let pattern = try? NamePattern(parts.joined(separator: ".")) else { continue }
            let topic = try Name(name.joined(separator: "."))
            guard pattern.matches(topic) else { continue }
            meant += 1
            let frame = Publication(topic: topic).frames[0]
            #expect(frame.starts(with: Publication.subscription(for: pattern).utf8), "\(pattern) \(topic)")
        }
        #expect(meant > 1000)
        #expect(!Publication(topic: "job.10").frames[0].starts(with: Publication.subscription(for: "job.1").utf8))
    }

    @Test("has an id of its own where none is given")
    func hasAnID() { #expect(Publication(topic: "a").id != Publication(topic: "a").id) }

    @Test("is told from a message for one worker by its number of frames, and says so")
    func isTold() {
        let five = Request(.notify(StateChange(topic: "orders"))).frames.all
        let error = #expect(throws: BusError.self) { try Publication(decoding: five) }
        #expect(error?.code == .notForge)
        #expect(error?.message.contains("5 frames") == true)
        #expect(#expect(throws: BusError.self) { try Publication(decoding: []) }?.code == .notForge)
    }

    @Test("names what cannot be asked for where nobody answers")
    func namesWhatCannotBeAsked() {
        var frames = Publication(topic: "orders").frames
        frames[4] = Array("{\"durability\":\"fsynced\"}".utf8)[...]
        let error = #expect(throws: BusError.self) { try Publication(decoding: frames) }
        #expect(error?.code == .badAttribute && error?.message.contains("`durability`") == true)
    }
}

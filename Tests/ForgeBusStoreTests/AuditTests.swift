import ForgeBusProtocol
import ForgeBusStore
import Scorecard
import StoreBehaviour
import Testing

@Suite("An exported audit")
struct AuditTests {
    private let links: [AuditLink]
    private let head: AuditHead
    private static let count: Int64 = 30

    init() {
        var generator = RecordGenerator(seed: 50)
        var chain = AuditChain()
        links = (1...Self.count).map { chain.append(generator.auditEntry(at: $0)) }
        head = chain.head
    }

    /// The lines of an export of these entries, without their line ends.
    private func lines(_ links: [AuditLink], after anchor: AuditHead = .start) -> [[UInt8]] {
        let footer = AuditExport.Footer(after: anchor, to: links.last?.head ?? anchor)
        return links.map { Array(AuditExport.line(of: $0).utf8) } + [JSONValue.object(footer.json).encoded]
    }

    private func bytes(_ lines: [[UInt8]]) -> [UInt8] { lines.flatMap { $0 + [UInt8(ascii: "\n")] } }

    private func flaw(of lines: [[UInt8]], endingAt kept: AuditHead? = nil) -> AuditFlaw? {
        do throws(AuditFlaw) { _ = try AuditExport.check(bytes(lines), endingAt: kept) } catch { return error }
        return nil
    }

    @Test("is sound as it was written, whole or from any entry on, and also if it has no entry")
    func sound() throws {
        #expect(try AuditExport.check(bytes(lines(links)), endingAt: head).anchor == .start)
        for first in links.indices.dropFirst() {
            let part = lines(Array(links[first...]), after: links[first - 1].head)
            #expect(try AuditExport.check(bytes(part)).count == Self.count - Int64(first))
        }
        #expect(try AuditExport.check(bytes(lines([]))).count == 0)
    }

    @Test("names the last dropped entry if the kept head has another hash for it")
    func keptHeadOfDropped() throws {
        let anchor = links[2].head
        var check = AuditCheck(after: anchor, through: AuditHead(anchor.number, links[3].hash))
        for link in links[3...] { try check.add(link) }
        let whole = check
        let flaw = #expect(throws: AuditFlaw.self) { try whole.end(at: head) }
        #expect(flaw?.number == anchor.number)
        #expect(flaw.map { "\($0)" }?.contains("does not have the hash of the given head") == true)
    }

    @Test("can be checked with SHA-256 alone: of the hash before, and of the line without its hash")
    func format() throws {
        var chain = AuditChain()
        let entry = AuditEntry(
            at: 7,
            "decided",
            principal: "ada",
            request: try RequestID("r-1"),
            allowedBy: "complete:deploy.>",
            facts: ["decision": "approved", "signal": "deploy.42.approve"]
        )
        let line = AuditExport.line(of: chain.append(entry))
        // printf '%064d%s' 0 '{"form":…}' | sha256sum
        let body =
            #"{"form":1,"number":1,"at_ms":7,"event":"decided","principal":"ada","request":"r-1","#
            + #""allowed_by":"complete:deploy.>","facts":{"decision":"approved","signal":"deploy.42.approve"}"#
        #expect(line == body + #","hash":"28e583b79d481b6f3a08502d91aa487635ba5e15daa0a9a27a15a8130d931e9b"}"#)
    }

    @Test("names the first bad entry when a bit of a line is another", .scorecard(24))
    func flippedBits() {
        var numbers = SeededNumbers(seed: 51)
        let lines = lines(links)
        for _ in 0..<200 {
            let place = numbers.below(lines.count - 1)
            var altered = lines
            altered[place][numbers.below(lines[place].count)] ^= 1 << UInt8(numbers.below(8))
            #expect(flaw(of: altered)?.number == Int64(place + 1))
        }
    }

    @Test("is refused when a bit of the footer or of a line end is another")
    func flippedFooter() {
        var numbers = SeededNumbers(seed: 52)
        let lines = lines(links)
        for _ in 0..<100 {
            var altered = lines
            let last = lines.count - 1
            altered[last][numbers.below(lines[last].count)] ^= 1 << UInt8(numbers.below(8))
            #expect(flaw(of: altered) != nil)
        }
        let whole = bytes(lines)
        for place in whole.indices where whole[place] == UInt8(ascii: "\n") {
            var altered = whole
            altered[place] ^= 1 << UInt8(numbers.below(8))
            #expect(throws: AuditFlaw.self) { try AuditExport.check(altered) }
        }
    }

    @Test("names the first bad entry when lines are missing, twice there or swapped", .scorecard(24))
    func lineByLine() {
        let lines = lines(links)
        for place in 0..<lines.count - 1 {
            var (missing, twice) = (lines, lines)
            missing.remove(at: place)
            #expect(flaw(of: missing)?.number == Int64(place + 1))
            twice.insert(lines[place], at: place)
            #expect(flaw(of: twice)?.number == Int64(place + 2))
            for other in place + 1..<lines.count - 1 {
                var swapped = lines
                swapped.swapAt(place, other)
                #expect(flaw(of: swapped)?.number == Int64(place + 1))
            }
        }
        #expect(flaw(of: lines.dropLast()) != nil, "the footer is missing")
    }

    @Test("that somebody cut or appended to, with all hashes computed anew, is found only with a head kept elsewhere")
    func forged() {
        var generator = RecordGenerator(seed: 53)
        for cut in 0...5 {
            for appended in 0...5 where cut + appended > 0 {
                var forged = Array(links.dropLast(cut))
                var chain = AuditChain(head: forged.last?.head ?? .start)
                for _ in 0..<appended { forged.append(chain.append(generator.auditEntry(at: 99))) }
                #expect(flaw(of: lines(forged)) == nil)
                #expect(flaw(of: lines(forged), endingAt: head) != nil, "cut \(cut), appended \(appended)")
            }
        }
    }

    @Test("has a head that is read as it was written, and nothing else is one")
    func heads() {
        #expect(AuditHead("\(head)") == head)
        for text in ["", "1", "1:", "-1:\(head.hash.hexadecimal)", "\(head)0", "x:\(head.hash.hexadecimal)"] {
            #expect(AuditHead(text) == nil)
        }
    }
}

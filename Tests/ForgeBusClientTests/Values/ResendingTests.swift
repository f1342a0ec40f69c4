import ForgeBusProtocol
import Testing

@testable import ForgeBusClient

@Suite("When a request is sent again")
struct ResendingTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start.advanced(by: .milliseconds(milliseconds)) }

    /// A request sent at once on a connection that is up.
    private func sent(isLedgered: Bool = true, _ generator: FixedGenerator) -> Resending {
        var (resending, generator) = (Resending(isLedgered: isLedgered, firstPause: .seconds(1)), generator)
        _ = resending.connected(at: start)
        resending.sent(at: start, using: &generator)
        return resending
    }

    /// The pauses between sends, in milliseconds, each sent when it is due.
    private func pauses(_ resending: Resending, _ generator: FixedGenerator, _ count: Int) -> [Int] {
        var (resending, generator, last) = (resending, generator, start)
        return (0..<count).compactMap { _ in
            guard let moment = resending.moment else { return nil }
            resending.isLeaving()
            resending.sent(at: moment, using: &generator)
            defer { last = moment }
            return Int(((moment - last) / .milliseconds(1)).rounded())
        }
    }

    @Test("grows with the silence from half of a second or a second to a tenth of the sixty seconds it takes for kept")
    func silence() {
        #expect(pauses(sent(.most), .most, 5) == [1000, 2000, 4000, 6000, 6000])
        #expect(pauses(sent(.least), .least, 5) == [500, 1000, 2000, 3000, 3000])
    }

    @Test("is never more than half of what the worker keeps after the last word, unless nothing is kept")
    func halfOfTheRetention() {
        #expect(pauses(sent(.most), .most, 100).reduce(0, +) == 25_000)
        #expect(pauses(sent(isLedgered: false, .most), .most, 100).count == 100)
        var heard = sent(.most)
        heard.heard(retention: .seconds(10), at: at(5_000))
        #expect(pauses(heard, .most, 100).reduce(0, +) <= 10_000)
    }

    @Test("is a tenth of what the worker says it keeps, between a tenth of a second and thirty seconds")
    func announcedRetention() {
        for (retention, longest) in [(Duration.seconds(20), 2_000), (.seconds(86_400), 30_000), (.zero, 100)] {
            var (resending, generator) = (sent(isLedgered: false, .most), FixedGenerator.most)
            resending.heard(retention: retention, at: start)
            for second in 0..<10 { resending.sent(at: at(second), using: &generator) }
            #expect(pauses(resending, .most, 3).suffix(2) == [longest, longest])
        }
    }

    @Test("grows with each refusal from a random part of 100 ms to one of 5 s")
    func backoff() {
        for (generator, expected) in [
            (FixedGenerator.most, [100, 200, 400, 800, 1600, 3200, 5000, 5000]),
            (.least, Array(repeating: 0, count: 8)),
        ] {
            var (resending, generator) = (sent(.most), generator)
            let pauses = (0..<8).map { _ in
                let moment = resending.refused(retryAfter: nil, at: start, using: &generator)
                return Int(((moment - start) / .milliseconds(1)).rounded())
            }
            #expect(pauses == expected)
        }
    }

    @Test("is never before the moment that the worker named, and not for all at once")
    func retryAfter() {
        var (resending, generator) = (sent(.most), SystemRandomNumberGenerator())
        let moments = Set(
            (0..<20).map { _ in resending.refused(retryAfter: .seconds(3), at: start, using: &generator) }
        )
        #expect(moments.allSatisfy { (at(3_000)...at(3_100)).contains($0) })
        #expect(moments.count > 1)
    }

    @Test("is at once when a connection is made anew, but not before the end of a backoff")
    func reconnected() {
        var (resending, generator) = (sent(.most), FixedGenerator.most)
        resending.disconnected(lastWord: nil)
        #expect(resending.moment == nil)
        #expect(resending.connected(at: at(10)) == true)
        let moment = resending.refused(retryAfter: .seconds(3), at: at(10), using: &generator)
        resending.disconnected(lastWord: nil)
        #expect(resending.moment == nil)
        #expect(resending.connected(at: at(20)) == false)
        #expect(resending.moment == moment)
    }

    @Test("is never, on another connection, once its answer may be forgotten")
    func hopeless() {
        var resending = sent(.most)
        resending.heard(retention: .seconds(10), at: start)
        #expect(resending.isHopelessFrom == nil)
        resending.disconnected(lastWord: nil)
        #expect(resending.isHopelessFrom == at(5_000))
        #expect(resending.connected(at: at(5_000)) == false)
        var read = sent(isLedgered: false, .most)
        read.disconnected(lastWord: nil)
        #expect(read.isHopelessFrom == nil)
        #expect(read.connected(at: at(1_000_000)) == true)
    }

    @Test("is possible for half of what the worker keeps after its last word on the connection that is lost")
    func lastWord() {
        var resending = sent(.most)
        resending.heard(retention: .seconds(10), at: start)
        resending.disconnected(lastWord: at(8_000))
        #expect(resending.isHopelessFrom == at(13_000))
        #expect(resending.connected(at: at(12_999)) == true)
    }
}

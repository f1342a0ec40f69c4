import ForgeBusProtocol
import Testing

@testable import ForgeBusClient

@Suite("The turns of several endpoints")
struct EndpointTurnsTests {
    @Test("go round at once, and then with pauses that grow, until one is reached")
    func round() {
        var turns = EndpointTurns(count: 3, pauses: Backoff(from: .milliseconds(100), upTo: .milliseconds(300)))
        var steps: [(Int, Duration)] = []
        for _ in 0..<10 { steps.append((turns.place, turns.failed())) }
        #expect(steps.map(\.0) == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0])
        let pauses = [0, 0, 100, 100, 100, 200, 200, 200, 300, 300].map { Duration.milliseconds($0) }
        #expect(steps.map(\.1) == pauses)
        turns.succeeded()
        let next = [turns.failed(), turns.failed(), turns.failed()]
        #expect(next == [.zero, .zero, .milliseconds(100)])
    }

    @Test("last two seconds at first, and longer in each round that fails, up to sixteen")
    func attempts() {
        var turns = EndpointTurns(count: 2, pauses: Backoff(from: .zero, upTo: .zero))
        let seconds = (0..<10).map { _ in
            defer { _ = turns.failed() }
            return turns.attemptLasts
        }
        #expect(seconds == [2, 2, 4, 4, 8, 8, 16, 16, 16, 16].map { Duration.seconds($0) })
        turns.succeeded()
        #expect(turns.attemptLasts == .seconds(2))
    }

    @Test("are one's alone where there is one")
    func one() {
        var turns = EndpointTurns(count: 1, pauses: Backoff(from: .milliseconds(100), upTo: .seconds(1)))
        #expect(turns.failed() == .milliseconds(100))
        #expect(turns.place == 0)
    }
}

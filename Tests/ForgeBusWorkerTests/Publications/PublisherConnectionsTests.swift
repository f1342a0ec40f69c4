import ForgeBusProtocol
import Testing
import ZeroMQ

@testable import ForgeBusWorker

@Suite("Connections to publishers")
struct PublisherConnectionsTests {
    private var connections = PublisherConnections()
    private let start = ContinuousClock.now
    private let patience = PublisherConnections.patience

    private mutating func connect(at endpoint: String, after time: Duration = .zero) -> Bool {
        connections.connected(at: endpoint, now: start + time)
    }

    private mutating func patienceEnds(after time: Duration) -> Bool { connections.patienceEnded(at: start + time) }

    @Test("are made again when one was lost at the endpoint before, each once")
    mutating func again() {
        #expect(!connect(at: "a"))
        #expect(!connect(at: "a"))
        connections.disconnected(at: "a")
        #expect(!connect(at: "b"))
        #expect(connect(at: "a"))
        #expect(!connect(at: "a"))
    }

    @Test("are worth something when the patience with a publisher that says nothing has ended, not before")
    mutating func silent() {
        _ = connect(at: "a")
        #expect(!patienceEnds(after: patience - .nanoseconds(1)))
        #expect(patienceEnds(after: patience))
        #expect(!patienceEnds(after: patience * 2))
    }

    @Test("whose publisher said that it knows the subscriptions are not waited for")
    mutating func acknowledged() {
        _ = connect(at: "a")
        connections.acknowledged()
        #expect(!patienceEnds(after: patience))
    }

    @Test("of which one publisher answers and one does not are waited for until the later patience ends")
    mutating func mixed() {
        _ = connect(at: "a")
        _ = connect(at: "a", after: .milliseconds(900))
        // Whoever it was.
        connections.acknowledged()
        #expect(!patienceEnds(after: patience))
        #expect(patienceEnds(after: patience + .milliseconds(900)))
    }

    @Test("that come without end take no more room than a thousand, and the latest are waited for")
    mutating func bounded() {
        for number in 0..<5_000 { _ = connect(at: "a", after: .microseconds(number)) }
        #expect(!patienceEnds(after: patience + .microseconds(3_000)))
        #expect(patienceEnds(after: patience + .microseconds(4_999)))
        #expect(!patienceEnds(after: patience * 9))
    }

    @Test("carry what the patterns mean, in the fewest prefixes")
    func prefixes() {
        func covering(_ patterns: NamePattern...) -> [String] {
            TopicPrefix.covering(patterns).map(\.description).sorted()
        }
        #expect(covering("a.b", "a.b", "a.c.*.d") == ["a.b.", "a.c."])
        #expect(covering("a.b.c", "a.>", "a-b.c", "ab.>") == ["a-b.c.", "a.", "ab."])
        #expect(covering("a.b", "*.c") == [""])
        #expect(covering().isEmpty)
    }
}

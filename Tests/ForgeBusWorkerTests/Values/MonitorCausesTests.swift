import ForgeBusProtocol
import Testing

@testable import ForgeBusWorker

@Suite("The causes of a cycle")
struct MonitorCausesTests {
    private var causes = MonitorCauses()
    private let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private mutating func add(_ topic: Name, by publisher: String = "a", body: [UInt8] = [], at time: Int64 = 0) {
        causes.add(Notice(topic, by: publisher, body: body, at: time))
    }

    @Test("count what was said on each topic, and keep the last of it")
    mutating func digest() {
        #expect(causes.isEmpty)
        add("orders.1", by: "shop", body: Array("one".utf8), at: 10)
        add("orders.2", at: 20)
        add("orders.1", by: "till", body: Array("two".utf8), at: 30)
        #expect(causes.topics.map(\.topic) == ["orders.1", "orders.2"])
        let first = causes.topics[0]
        #expect(first.count == 2)
        #expect(first.firstUnixMilliseconds == 10)
        #expect(first.lastUnixMilliseconds == 30)
        #expect(first.publisher == "till")
        #expect(first.lastBody == Array("two".utf8))
        #expect(causes.count == 3)
    }

    @Test("tell at most 64 topics apart, and count the rest")
    mutating func others() {
        for number in 0..<100 { add(Name(unchecked: "t\(number)")) }
        add("t0")
        add("t99")
        #expect(causes.topics.count == 64)
        #expect(causes.others == 37)
        #expect(causes.count == 102)
        #expect(causes.topics[0].count == 2)
    }

    @Test("keep the beginning of a long body, and say how long it was")
    mutating func body() {
        add("t", body: Array(repeating: 7, count: 5000))
        #expect(causes.topics[0].lastBody == Array(repeating: 7, count: 4096))
        #expect(causes.topics[0].lastBodySizeInBytes == 5000)
    }

    @Test("keep the latest 16 trace ids, each once")
    mutating func traceIDs() {
        func id(_ number: Int) -> String { String(repeating: "0", count: 30) + "\(number + 10)" }
        for number in [0, 0] + Array(1..<20) + [5] {
            causes.add(Notice("t", by: "a", traceparent: "00-\(id(number))-b7ad6b7169203331-01", at: 0))
        }
        #expect(causes.topics[0].traceIDs == [4].map(id) + Array(6..<20).map(id) + [id(5)])
    }

    @Test(
        "take no trace id from what is no trace context",
        arguments: [
            "", "x", "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "00-0af7-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01", "0af7651916cd43dd8448eb211c80319c",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", "00-0af7651916cd43dd8448eb211c80319c",
            "-0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        ]
    )
    mutating func noTraceID(_ text: String) {
        causes.add(Notice("t", by: "a", traceparent: text, at: 0))
        #expect(causes.topics[0].traceIDs.isEmpty)
        causes.add(Notice("t", by: "a", traceparent: traceparent, at: 0))
        #expect(causes.topics[0].traceIDs == ["0af7651916cd43dd8448eb211c80319c"])
    }

    @Test("of a cycle that failed go before those that came since")
    mutating func merging() {
        for number in 0..<60 { add(Name(unchecked: "t\(number)"), at: 1) }
        var later = MonitorCauses()
        for number in 58..<70 {
            later.add(Notice(Name(unchecked: "t\(number)"), by: "b", traceparent: traceparent, at: 2))
        }
        causes.add(later)
        #expect(causes.topics.count == 64)
        #expect(causes.others == 6)
        #expect(causes.count == 72)
        let both = causes.topics[58]
        #expect(both.count == 2)
        #expect((both.firstUnixMilliseconds, both.lastUnixMilliseconds) == (1, 2))
        #expect(both.publisher == "b")
        #expect(both.traceIDs.count == 1)
    }

    @Test("are empty outside a cycle")
    func outside() { #expect(MonitorCauses.current.isEmpty) }
}

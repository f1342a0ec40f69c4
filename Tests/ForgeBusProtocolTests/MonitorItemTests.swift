import ForgeBusProtocol
import Testing

@Suite("The item of a monitor")
struct MonitorItemTests {
    private static let full: JSONObject = [
        "monitor": "stock", "topics": ["stock.>"], "state": "running, owed", "cycles": 41,
        "last": ["began_ago_ms": 1_500, "took_ms": 20, "state": "failed"],
        "failures": 3, "failed_at_ms": 1_790_000_000_000, "reason": "restock: no shelf",
        "next_at_ms": 1_790_000_001_000,
        "paused": [
            "by": "ada", "since_ms": 1_790_000_000_500, "via": "web", "until_ms": 1_790_000_009_000, "reason": "CHG-7",
        ],
    ]

    @Test("is read and written in one form")
    func isOneForm() throws {
        let item = try MonitorItem(Self.full)
        #expect(item.name.text == "stock" && item.topics == ["stock.>"] && item.state == .runningOwed)
        #expect(item.cycles == 41 && item.nextUnixMilliseconds == 1_790_000_001_000)
        let last = LastCycle(beganAgo: .milliseconds(1_500), took: .milliseconds(20), state: .failed)
        #expect(item.last == last && item.others.isEmpty)
        #expect(item.failure?.count == 3 && item.failure?.reason == "restock: no shelf")
        #expect(item.failure?.unixMilliseconds == 1_790_000_000_000)
        let pause = try #require(item.pause)
        #expect(pause.principal == "ada" && pause.via == "web" && pause.reason == "CHG-7")
        #expect(pause.sinceUnixMilliseconds == 1_790_000_000_500 && pause.untilUnixMilliseconds == 1_790_000_009_000)
        #expect(item.json == Self.full)
    }

    @Test("lacks what it does not have")
    func lacks() throws {
        let least: JSONObject = ["monitor": "stock", "state": "idle", "cycles": 0]
        let item = try MonitorItem(least)
        #expect(item == MonitorItem(Name(unchecked: "stock"), state: .idle, cycles: 0))
        #expect(item.json == least)
    }

    @Test("keeps what only a newer worker knows, and takes no unknown end for a good one")
    func newer() throws {
        var newer = Self.full
        newer["state"] = "asleep"
        newer["last"] = ["began_ago_ms": 1, "took_ms": 0, "state": "half"]
        newer["saw"] = "policy 3f2a91"
        let item = try MonitorItem(newer)
        #expect(item.state == .unknown("asleep") && item.last?.state == .unknown("half"))
        #expect(item.json == newer)
    }

    @Test("has no end and no state twice")
    func words() {
        for state in MonitorItem.State.known { #expect(MonitorItem.State(word: state.word) == state) }
        for state in LastCycle.State.known { #expect(LastCycle.State(word: state.word) == state) }
        #expect(Set(MonitorItem.State.known.map(\.word)).count == 7 && LastCycle.State.known.count == 3)
    }

    @Test(
        "makes the age of the last cycle never shorter",
        arguments: [
            (Duration.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1), (.microseconds(1_001), 2),
            (.seconds(86_400) + .nanoseconds(1), 86_400_001),
        ] as [(Duration, Int64)]
    )
    func roundsUp(age: Duration, milliseconds: Int64) {
        let last = LastCycle(beganAgo: age, took: .microseconds(1_999), state: .ran)
        let item = MonitorItem(Name(unchecked: "stock"), state: .idle, cycles: 1, last: last)
        #expect(item.json["last"]?.object?["began_ago_ms"]?.integer == milliseconds)
        #expect(item.json["last"]?.object?["took_ms"] == 1)
    }

    @Test(
        "without what each has, or with a value that cannot be, is a bad answer",
        arguments: [
            ("monitor", nil), ("monitor", "a..b"), ("state", nil), ("state", 1), ("cycles", nil), ("cycles", "3"),
            ("topics", [1]), ("failures", "3"), ("failed_at_ms", nil), ("reason", nil), ("next_at_ms", "soon"),
            ("last", "ran"), ("last", ["took_ms": 1, "state": "ran"]), ("last", ["began_ago_ms": 1, "state": "ran"]),
            ("last", ["began_ago_ms": 1, "took_ms": 1]), ("last", ["began_ago_ms": -1, "took_ms": 1, "state": "ran"]),
            ("last", ["began_ago_ms": 1, "took_ms": -1, "state": "ran"]),
            ("last", ["began_ago_ms": 1.5, "took_ms": 1, "state": "ran"]), ("paused", true), ("paused", [:]),
            ("paused", ["since_ms": 1, "until_ms": "later"]),
        ] as [(String, JSONValue?)]
    )
    func bad(key: String, value: JSONValue?) {
        var item = Self.full
        item[key] = value
        let error = #expect(throws: BusError.self) { try MonitorItem(item) }
        #expect(error?.code == .badAnswer)
    }
}

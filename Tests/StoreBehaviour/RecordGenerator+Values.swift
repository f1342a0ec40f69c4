import ForgeBusProtocol
import ForgeBusStore

extension RecordGenerator {
    mutating func maybe<T>(_ make: (inout RecordGenerator) -> T) -> T? { random.below(2) == 0 ? nil : make(&self) }

    mutating func many<T>(_ make: (inout RecordGenerator) -> T) -> [T] {
        (0..<random.below(4)).map { _ in make(&self) }
    }

    mutating func integer() -> Int64 {
        switch random.below(4) {
        case 0: random.one(of: [.min, .max, 0, -1])
        default: Int64(bitPattern: random.next() >> UInt64(random.below(64)))
        }
    }

    /// Empty, long, not printable, of several scripts, or what SQL and JSON have a meaning for.
    private static let oddTexts = [
        "", "a", "\0", "a\0b", "'; DROP TABLE records; --", "\u{E9}", "e\u{301}", "\u{1F469}\u{200D}\u{1F692}",
        "\u{FEFF}", "\r\n", "{\"a\":1}", "\u{10FFFF}", String(repeating: "x", count: 5_000),
    ]

    mutating func text() -> String {
        random.below(3) == 0 ? random.one(of: Self.oddTexts) : "text-\(random.next())"
    }

    mutating func data() -> [UInt8] {
        let count = random.below(10) == 0 ? 10_000 : random.below(40)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// Rarely the longest there can be.
    mutating func name() -> Name {
        let longest = Array(repeating: String(repeating: "N", count: 63), count: 4).joined(separator: ".")
        let text = random.below(20) == 0 ? longest : "n-\(random.below(5_000)).\(random.below(10))"
        guard let name = try? Name(text) else { fatalError("\(text) is a name") }
        return name
    }

    mutating func signal(numbered number: Int, of task: Int) -> StoreRecord {
        guard let name = try? Name("task-\(task).\(number)") else { fatalError("numbers make a name") }
        return signal(name)
    }

    mutating func requestID() -> RequestID { RequestID.random(using: &random) }

    mutating func key() -> RequestKey { RequestKey(principal: text(), id: requestID()) }

    mutating func fingerprint() -> Fingerprint {
        Fingerprint(random.next(), random.next(), random.next(), random.next())
    }

    mutating func duration() -> Duration { .nanoseconds(integer()) }

    mutating func durability() -> Durability { Durability.allCases[random.below(3)] }

    mutating func decision() -> Decision.Outcome {
        random.below(2) == 0 ? .approved(value: data()) : .rejected(reason: text())
    }

    mutating func outcome() -> ActionOutcome {
        let result: ActionOutcome.Result =
            switch random.below(3) {
            case 0: .completed
            case 1: .skipped
            default: .failed(text())
            }
        return ActionOutcome(action: text(), result: result, start: duration(), duration: duration())
    }

    mutating func verdictReport() -> VerdictReport {
        var report = VerdictReport(
            signal: SignalID(name()),
            verdict: verdict(),
            durability: durability(),
            retention: duration()
        )
        if report.verdict == .delivered { report.parkingReason = maybe { $0.text() } }
        return report
    }

    private mutating func verdict() -> Verdict {
        switch random.below(9) {
        case 0: .delivered
        case 1: .counted(have: random.below(9), need: random.below(9))
        case 2: .buffered(for: duration())
        case 3: .duplicate
        case 4:
            .conflict(
                Verdict.Standing(
                    decision: random.below(2) == 0 ? .approved : .rejected,
                    principal: text(),
                    unixMilliseconds: integer()
                )
            )
        case 5: .expired
        case 6: .closed(why: text())
        case 7: .forbidden(why: text())
        default: .unknown(why: text())
        }
    }

    mutating func object(depth: Int = 0) -> JSONObject {
        var object = JSONObject()
        for _ in 0..<random.below(4) { object[text()] = json(depth: depth + 1) }
        return object
    }

    private mutating func json(depth: Int) -> JSONValue {
        switch random.below(depth < 5 ? 8 : 6) {
        case 0: .null
        case 1: .bool(true)
        case 2: .bool(false)
        case 3: .integer(integer())
        case 4: .number(Double(random.below(1_000_000)) / 7)
        case 5: .string(text())
        case 6: .array(many { $0.json(depth: depth + 1) })
        default: .object(object(depth: depth))
        }
    }
}

/// Numbers decided by a seed (SplitMix64).
public struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    /// Numbers decided by `seed`.
    public init(seed: UInt64) { state = seed }

    /// The next one.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, `bound`.
    public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// One of `values`, which are some.
    public mutating func one<T>(of values: [T]) -> T { values[below(values.count)] }
}

import ForgeBusProtocol
import Foundation
import Scorecard
import Subprocess
import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("The due times of a schedule")
struct ScheduleTimingTests {
    @Test(
        "are those that Python finds minute by minute, in zones whose clocks change",
        .enabled(if: DueTimes.isReady, "needs the interpreter of Tests/Python"),
        .timeLimit(.minutes(30))
    )
    func independent() async throws {
        var generator = SeededGenerator(seed: 4_711)
        let cases = try (0..<Scorecard.trials(60, full: 1_000)).map { _ in try DueTimes.Case(&generator) }
        let expected = try await DueTimes.seconds(of: cases)
        #expect(expected.count == cases.count)
        for (tried, seconds) in zip(cases, expected) { #expect(try tried.dueSeconds() == seconds, "\(tried.line)") }
        #expect(expected.count { !$0.isEmpty } > cases.count / 2)
    }

    private func times(_ cron: String, _ zone: String, after time: Int64, _ count: Int = 3) throws -> [String] {
        let timing = ScheduleTiming.cron(try CronExpression(cron), try .installed(zone))
        var (times, last) = ([String](), time)
        for _ in 0..<count {
            guard let next = timing.next(after: last) else { break }
            times.append(Date(timeIntervalSince1970: Double(next) / 1_000).formatted(.iso8601))
            last = next
        }
        return times
    }

    /// 2026-03-28T12:00:00Z and 2026-10-24T12:00:00Z; in Berlin, the clocks change in the night after each.
    private let spring: Int64 = 1_774_699_200_000, autumn: Int64 = 1_792_843_200_000

    @Test("of a time of day come once a day, though the clock leaves it out or shows it twice")
    func daily() throws {
        let inSpring = try times("30 2 * * *", "Europe/Berlin", after: spring)
        #expect(inSpring == ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z"])
        let inAutumn = try times("30 2 * * *", "Europe/Berlin", after: autumn)
        #expect(inAutumn == ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z", "2026-10-27T01:30:00Z"])
        let afterFirst = try times("30 2 * * *", "Europe/Berlin", after: autumn + 13 * 3_600_000, 1)
        #expect(afterFirst == ["2026-10-26T01:30:00Z"], "the clock shows 02:00 for the second time")
    }

    @Test("of a time of each hour come whenever the clock shows it")
    func hourly() throws {
        let inSpring = try times("30 */2 * * *", "Europe/Berlin", after: spring + 12 * 3_600_000)
        #expect(inSpring == ["2026-03-29T02:30:00Z", "2026-03-29T04:30:00Z", "2026-03-29T06:30:00Z"])
        let inAutumn = try times("30 */2 * * *", "Europe/Berlin", after: autumn + 12 * 3_600_000)
        #expect(inAutumn == ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T03:30:00Z"])
    }

    @Test("of an interval are the same whenever its worker begins")
    func intervals() {
        let timing = ScheduleTiming.every(.seconds(6 * 3_600))
        #expect(timing.next(after: 0) == 21_600_000)
        #expect(timing.next(after: 21_599_999) == 21_600_000)
        #expect(timing.next(after: 21_600_000) == 43_200_000)
        #expect(timing.next(after: -1) == 0)
    }

    @Test(
        "are read from the fields of crontab(5)",
        arguments: [
            ("0 9 * * 1-5", 5), ("0 9 * * mon-fri", 5), ("0 9 * * 7", 1), ("0 9 * * sun", 1), ("0 9 1 * mon", 1),
            ("@daily", 7), ("0 */6 * * *", 28), ("0 1,5/6 * * *", 35), ("*/20 12 * * *", 21), ("0 0 29 2 *", 0),
        ]
    )
    func fields(cron: String, count: Int) throws {
        // Of the week that begins on Monday, 2026-06-08.
        let monday: Int64 = 1_780_876_800_000
        let timing = ScheduleTiming.cron(try CronExpression(cron), .utc)
        let all = sequence(first: monday - 1) { timing.next(after: $0) }.dropFirst().prefix {
            $0 < monday + 7 * 86_400_000
        }
        #expect(all.map { $0 }.count == count)
    }

    @Test(
        "are refused where no expression is",
        arguments: [
            "", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8",
            "5-2 * * * *",
            "*/0 * * * *", "1,,2 * * * *", "a * * * *", "* * * may-feb *", "+1 * * * *", "0 0 30 2 *", "@never",
        ]
    )
    func refusals(text: String) {
        let error = #expect(throws: BusError.self) { try CronExpression(text) }
        #expect(error?.code == .badValue)
    }

    @Test("come from a whole file of a zone, and a damaged one is refused or read, never trapped in")
    func damage() throws {
        let bytes = try DueTimes.bytes(of: "Europe/Berlin")
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<3_000 {
            var damaged = bytes
            if generator.oneIn(2) { damaged.removeLast(generator.below(damaged.count)) }
            for _ in 0..<generator.below(4) where !damaged.isEmpty {
                damaged[generator.below(damaged.count)] = UInt8(generator.below(256))
            }
            guard let zone = try? ZoneRules(name: "x", damaged) else { continue }
            _ = ScheduleTiming.cron(try CronExpression("30 2 * * *"), zone).next(after: spring)
        }
        #expect(throws: BusError.self) { try ZoneRules(name: "x", Array("TZif".utf8)) }
    }
}

extension ZoneRules {
    /// A zone of this machine.
    fileprivate static func installed(_ name: String) throws -> ZoneRules {
        try ZoneRules(name: name, try DueTimes.bytes(of: name))
    }
}

/// Asks `Tests/Python/due_times.py`.
private enum DueTimes {
    static let interpreter =
        ProcessInfo.processInfo.environment["FORGE_PYTHON"]
        ?? Repository.root.appending(path: ".build/python/bin/python").path
    static var isReady: Bool { FileManager.default.isExecutableFile(atPath: interpreter) }

    static func bytes(of zone: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(zone)")))
    }

    static func seconds(of cases: [Case]) async throws -> [[Int64]] {
        let script = Repository.root.appending(path: "Tests/Python/due_times.py").path
        let result = try await Subprocess.run(
            .path(.init(interpreter)),
            arguments: [script],
            input: .string(cases.map { $0.line + "\n" }.joined()),
            output: .string(limit: 64 * 1024 * 1024),
            error: .string(limit: 64 * 1024)
        )
        #expect(result.terminationStatus == .exited(0), "\(result.standardError)")
        return result.standardOutput.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { $0.split(separator: " ").compactMap { Int64($0) } }
    }

    /// An expression in a zone, and a time near which the zone's clocks change.
    struct Case {
        private static let zones = [
            "Africa/Cairo", "Africa/Casablanca", "America/Caracas", "America/Havana", "America/New_York",
            "America/Nuuk",
            "America/Santiago", "America/Sao_Paulo", "America/St_Johns", "Antarctica/Casey", "Antarctica/Troll",
            "Asia/Gaza", "Asia/Jerusalem", "Asia/Kathmandu", "Asia/Pyongyang", "Asia/Tehran", "Atlantic/Azores",
            "Australia/Lord_Howe", "Europe/Berlin", "Europe/Dublin", "Europe/London", "Pacific/Apia", "Pacific/Chatham",
            "Pacific/Kiritimati", "UTC",
        ]
        private static let days = 3
        private let name: String
        private let zone: ZoneRules
        private let cron: String
        private let start: Int

        init(_ generator: inout SeededGenerator) throws {
            name = Self.zones[generator.below(Self.zones.count)]
            zone = try .installed(name)
            let time = 315_532_800 + generator.below(2_500_000_000)
            let change = zone.segment(at: time).end ?? time
            start = (generator.oneIn(8) ? time : change) - 100_000 + generator.below(130_000)
            let hour = generator.oneIn(2) ? "\(generator.below(4))" : Self.field(&generator, 0...23)
            let day = generator.oneIn(4) ? Self.field(&generator, 1...28) : "*"
            let month = generator.oneIn(6) ? Self.field(&generator, 1...12) : "*"
            let weekday = generator.oneIn(4) ? Self.field(&generator, 0...6) : "*"
            cron = "\(Self.field(&generator, 0...59)) \(hour) \(day) \(month) \(weekday)"
        }

        private static func field(_ generator: inout SeededGenerator, _ bounds: ClosedRange<Int>) -> String {
            let first = bounds.lowerBound + generator.below(bounds.count)
            let last = first + generator.below(bounds.upperBound - first + 1)
            return switch generator.below(8) {
            case 0...2: "*"
            case 3: "*/\(2 + generator.below(5))"
            case 4: "\(first)-\(last)"
            case 5: "\(first)-\(last)/\(1 + generator.below(3))"
            case 6: "\(first),\(last)"
            default: "\(first)"
            }
        }

        var line: String { "\(name)|\(cron)|\(start)|\(Self.days)" }

        func dueSeconds() throws -> [Int64] {
            let timing = ScheduleTiming.cron(try CronExpression(cron), zone)
            let end = Int64(start + Self.days * 86_400) * 1_000
            let all = sequence(first: Int64(start) * 1_000) { timing.next(after: $0) }
            return all.dropFirst().prefix { $0 < end }.map { $0 / 1_000 }
        }
    }
}

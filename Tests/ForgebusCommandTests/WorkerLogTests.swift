import ForgeBusProtocol
import Foundation
import Logging
import Scorecard
import Testing

@testable import forgebus

@Suite("The queue of the log")
struct LogQueueTests {
    var queue = LogQueue(lineLimit: 3, sizeLimit: 20)

    /// Writes what is next, or so many bytes of it; nil where nothing waits.
    mutating func write(_ count: Int? = nil) -> String? {
        guard let portion = queue.next(telling: { "\($0) lost" }) else { return nil }
        let written = count ?? portion.bytes.count
        queue.settle(portion, written: written)
        return String(decoding: portion.bytes.prefix(written), as: UTF8.self)
    }

    @Test("gives each line once, in the order in which they came")
    mutating func order() {
        for line in ["one", "two", "three"] { queue.add(line) }
        #expect([write(), write(), write(), write()] == ["one\n", "two\n", "three\n", nil])
    }

    @Test("drops a line too many, and tells how many where they are missing")
    mutating func lines() {
        for line in ["one", "two", "three", "four", "five"] { queue.add(line) }
        #expect(write() == "one\n")
        queue.add("six")
        queue.add("seven")
        #expect([write(), write(), write(), write()] == ["two\n", "three\n", "2 lost\nsix\n", "1 lost\n"])
        #expect(write() == nil)
    }

    @Test("drops what has too many bytes, and takes what still fits")
    mutating func bytes() {
        for line in ["0123456789", "0123456789x", "9876543210", ""] { queue.add(line) }
        #expect([write(), write(), write(), write()] == ["0123456789\n", "1 lost\n9876543210\n", "\n", nil])
    }

    @Test("counts what cannot be written, and tells it before the next line that can")
    mutating func failures() {
        queue.add("one")
        #expect([write(0), write()] == ["", nil])
        queue.add("two")
        #expect(write(0) == "")
        queue.add("three")
        #expect(write() == "2 lost\nthree\n")
        queue.add("four")
        #expect(write() == "four\n")
    }

    @Test("begins a line anew behind one that was cut")
    mutating func cut() {
        for line in ["one", "two", "three"] { queue.add(line) }
        #expect([write(2), write(0), write()] == ["on", "", "\n2 lost\nthree\n"])
        queue.add("four")
        #expect(write() == "four\n")
    }

    @Test("tells once what was told, though the line behind it could not be written")
    mutating func toldOnce() {
        for line in ["one", "two", "three"] { queue.add(line) }
        #expect([write(0), write(7), write()] == ["", "1 lost\n", "1 lost\nthree\n"])
    }

    @Test("has each line written whole or counted, whatever fails", arguments: 0..<20)
    mutating func balance(_ seed: UInt64) throws {
        var chance = Chance(state: seed)
        var output = ""
        for number in 0..<1_000 {
            queue.add("line \(number)")
            while chance.next(3) == 0, let part = write(chance.next(4) > 0 ? nil : 0) { output += part }
        }
        while let part = write() { output += part }
        queue.add("the last")
        output += try #require(write())
        let lines = output.split(separator: "\n")
        let lost = lines.filter { $0.hasSuffix(" lost") }.compactMap { Int($0.dropLast(5)) }.reduce(0, +)
        let kept = lines.compactMap { $0.hasPrefix("line ") ? Int($0.dropFirst(5)) : nil }
        #expect(lost > 0 && kept.count + lost == 1_000)
        #expect(kept == kept.sorted() && lines.last == "the last")
    }
}

@Suite("A line of the log")
struct LogLineTests {
    @Test("has the time, the level, the label, the source, the message and the sorted details")
    func format() {
        let details: Logger.Metadata = ["run": "run-7", "attempt": "2", "failed": ["a"]]
        let line = LogLine.text(.warning, "forgebus.worker", details, source: "ForgeBusWorker", "a run failed")
        let expected = #" warning forgebus.worker [ForgeBusWorker] a run failed  attempt=2 failed=["a"] run=run-7"#
        #expect(line.firstMatch(of: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}/)?.output.count == 24, "\(line)")
        #expect(line.dropFirst(24) == expected)
        #expect(LogLine.text(.info, "worker", source: "test", "ready").hasSuffix(" info worker [test] ready"))
    }

    @Test("has the next step last, and values with spaces in quotation marks")
    func quotes() {
        let details: Logger.Metadata = [
            "next": "Free space.", "reason": #"no "disk" left"#, "said": #""is \"quoted\" already""#, "topic": "",
        ]
        let line = LogLine.text(.warning, "worker", details, source: "test", "a run failed")
        let tail = #"reason="no \"disk\" left" said="is \"quoted\" already" topic="" next="Free space.""#
        #expect(line.hasSuffix(" a run failed  \(tail)"), "\(line)")
    }

    @Test(
        "has no metadata that a value forges",
        arguments: [#"x run=run-9"#, #""x" run="run-9""#, #""x\" run="run-9"#]
    )
    func forgedMetadata(_ value: String) {
        let line = LogLine.text(.warning, "worker", ["reason": "\(value)"], source: "test", "a run failed")
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        #expect(line.hasSuffix(#" a run failed  reason="\#(escaped)""#), "\(line)")
    }

    @Test(
        "is one line that reads from left to right, whatever it holds",
        arguments: [0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0x200E...0x200F, 0x061C...0x061C]
    )
    func escapes(_ values: ClosedRange<UInt32>) throws {
        for scalar in values.compactMap(Unicode.Scalar.init) {
            let name: Logger.Metadata = ["name": "a\(scalar)b"]
            let line = LogLine.text(.info, "forgebus.worker", name, source: "test", "\(scalar)")
            let escape =
                switch scalar {
                case "\n": #"\n"#
                default: #"\u{"# + String(scalar.value, radix: 16) + "}"
                }
            #expect(line.hasSuffix(" forgebus.worker [test] \(escape)  name=a\(escape)b"))
        }
    }

    @Test("keeps every other character")
    func others() {
        for text in ["plain", "Ångström, 東京, 👩🏽‍🚀", #"a \ and a \n"#] { #expect(Printable.escaped(text) == text) }
    }

    @Test("is one JSON object with the same facts, also where it holds line ends and structure")
    func json() throws {
        let details: Logger.Metadata = [
            "run": "run-7", "failed": ["a", ["why": "no\ndisk"]], "age": .stringConvertible(7),
        ]
        let line = LogFormat.json.line(.warning, "forgebus.worker", details, source: "ForgeBusWorker", "a run\nfailed")
        #expect(!line.contains("\n"))
        let object = try #require(JSONValue(parsing: Array(line.utf8)[...]).object)
        let time = try #require(object["time"]?.string)
        #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil, "\(time)")
        #expect(
            object.entries.dropFirst().map { "\($0.key)=\($0.value)" } == [
                #"level="warning""#, #"label="forgebus.worker""#, #"source="ForgeBusWorker""#,
                #"message="a run\nfailed""#,
                #"metadata={"age":"7","failed":["a",{"why":"no\ndisk"}],"run":"run-7"}"#,
            ]
        )
        let complaint = try JSONValue(
            parsing: Array(LogFormat.json.complaint(["No.", "  Do."], as: "forgebus: ").utf8)[...]
        )
        #expect(complaint.object?["level"] == "critical" && complaint.object?["message"] == "No.\n  Do.")
    }

    @Test("leaves out what would take much of the queue also in JSON, and says so")
    func longJSON() throws {
        let texts = (0..<9).map { ("key\($0)", Logger.MetadataValue.string(String(repeating: "\u{1}", count: 4_000))) }
        let metadata = Dictionary(uniqueKeysWithValues: texts)
        let line = LogFormat.json.line(.info, "l", metadata, source: "s", "\(String(repeating: "\u{2}", count: 9_000))")
        #expect(line.utf8.count <= 16 * 1024)
        let object = try #require(JSONValue(parsing: Array(line.utf8)[...]).object)
        #expect(object["cut"] == true && object["metadata"] == nil && object["message"]?.string?.hasSuffix("…") == true)
    }

    @Test("is cut where it would take much of the queue")
    func long() {
        let line = LogLine.text(.info, "l", ["x": "\(String(repeating: "é\n", count: 100_000))"], source: "s", "m")
        #expect(line.utf8.count <= 16 * 1024 && line.hasSuffix("…"))
    }
}

@Suite("The log of a worker", .scorecard(23))
struct WorkerLogTests {
    @Test("has written all that was logged when it was flushed, and goes on")
    func flush() throws {
        let pipe = Pipe()
        let log = WorkerLog(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let logger = Logger(label: "test") { WorkerLogHandler(label: $0, log: log) }
        for round in 0..<2 {
            for number in 0..<100 { logger.info("line", metadata: ["number": "\(round)-\(number)"]) }
            log.complain(["The store failed.", "  Make room."])
            log.flush(within: .seconds(600))
            let lines = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self).split(separator: "\n")
            #expect(lines.count == 102)
            #expect(lines.prefix(100).enumerated().allSatisfy { $1.hasSuffix("  number=\(round)-\($0)") })
            #expect(lines.suffix(2) == ["forgebus: The store failed.", "  Make room."])
        }
    }

    @Test("tells a new reader what the one that is gone has missed")
    func gone() throws {
        signal(SIGPIPE, SIG_IGN)
        let second = Pipe()
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Self.stream, 0, &pair) == 0)
        let descriptor = dup(pair[0])
        let log = WorkerLog(descriptor: descriptor)
        // A closed descriptor could still be open in a process that another test is just starting.
        shutdown(pair[1], Int32(SHUT_RDWR))
        for number in 0..<10 { log.add("\(number)") }
        log.flush(within: .seconds(600))
        dup2(second.fileHandleForWriting.fileDescriptor, descriptor)
        log.add("and on")
        log.flush(within: .seconds(600))
        let text = String(decoding: second.fileHandleForReading.availableData, as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasSuffix("  lines=10"), "\(text)")
        #expect(lines.first?.contains("[forgebus] log lines were dropped") == true, "\(text)")
        #expect(lines.last == "and on")
        for open in pair + [descriptor] { close(open) }
    }

    #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #endif
}

/// Numbers that look like chance, the same each time (SplitMix64).
private struct Chance {
    var state: UInt64

    /// A number below `bound`.
    mutating func next(_ bound: UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return (value ^ (value >> 31)) % bound
    }
}

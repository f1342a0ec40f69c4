import ForgeBusProtocol
import Testing

@testable import ForgeBusWorker

private let members: [String: GateRule.Member] = ["ticket": .required(.string), "note": .optional(.string)]

@Suite("The value that a gate expects")
struct GateValueTests {
    private var book = BookUnderTest()

    private static func flaw(_ value: String, _ rule: GateRule = GateRule(value: members)) -> BusError? {
        rule.flaw(of: .approved(value: Array(value.utf8)))
    }

    @Test(
        "may leave out its optional members, and may have a reason",
        arguments: [#"{"ticket":"T-1"}"#, #"{"note":"","ticket":"T-1"}"#, #"{"because":"tested","ticket":"T-1"}"#]
    )
    func fits(_ value: String) {
        #expect(Self.flaw(value) == nil)
    }

    private static let unfit: [(String, String)] = [
        ("", "`ticket`"),
        ("null", "`ticket`"),
        (#"{"note":"x"}"#, "`ticket`"),
        (#"{"ticket":7}"#, "`ticket`"),
        (#"{"ticket":null}"#, "`ticket`"),
        (#"{"ticket":"T-1","note":false}"#, "`note`"),
        (#"{"because":7,"ticket":"T-1"}"#, "`because`"),
        (#"{"ticket":"T-1","noted":"x"}"#, "`note`"),
        (#"{"ticket":"T-1","x\n":"x"}"#, "x\\u{a}"),
        (#"["T-1"]"#, "array"),
        (#""T-1""#, "string"),
        ("7", "integer"),
        ("true", "boolean"),
    ]

    @Test("refuses another one, and says what is wrong and what it takes", arguments: unfit)
    func refuses(_ value: String, named: String) {
        let error = Self.flaw(value)
        #expect(error?.code == .badValue)
        #expect(error?.message.contains(named) == true)
        let other = Errors.badValue("", expected: [("note", "string", false), ("ticket", "string", true)])
        #expect(error?.next == other.next)
    }

    private static let typed: [(ValueType, String, String, String)] = [
        (.string, #""1""#, "1", "integer"),
        (.integer, "1", "1.5", "number"),
        (.number, "1.5", #""1.5""#, "string"),
        (.number, "1", "true", "boolean"),
        (.boolean, "false", "0", "integer"),
        (.array, "[]", "{}", "object"),
        (.object, "{}", "[]", "array"),
    ]

    @Test("has members of the types that its rule names", arguments: typed)
    func types(_ type: ValueType, fitting: String, other: String, found: String) {
        for member in [GateRule.Member.required(type), .optional(type)] {
            let rule = GateRule(value: ["v": member])
            #expect(Self.flaw(#"{"v":\#(fitting)}"#, rule) == nil)
            let error = Self.flaw(#"{"v":\#(other)}"#, rule)
            #expect(error?.message.contains("`v`") == true && error?.message.contains(found) == true)
        }
    }

    @Test("is no value if its rule names no members")
    func empty() {
        let rule = GateRule(value: [:])
        for value in ["", "null", "{}", #"{"because":"tested"}"#] { #expect(Self.flaw(value, rule) == nil) }
        let error = Self.flaw(#"{"a":1}"#, rule)
        #expect(error?.message.contains("\"a\"") == true)
        #expect(error?.next == Errors.badValue("", expected: []).next)
    }

    @Test("has at most 16,384 bytes if several votes are needed")
    func large() {
        func value(_ size: Int) -> String { "\"" + String(repeating: "x", count: size - 2) + "\"" }
        for rule in [GateRule(approvals: 2), GateRule(rejections: 2)] {
            let error = Self.flaw(value(16_385), rule)
            #expect(error?.code == .badValue)
            #expect(error?.message.contains("16384") == true && error?.message.contains("16385") == true)
            let reason = rule.flaw(of: .rejected(reason: String(repeating: "x", count: 16_385)))
            #expect(reason?.code == .badValue && reason?.message.contains("16385") == true)
            #expect(Self.flaw(value(16_384), rule) == nil)
        }
        #expect(Self.flaw(value(16_385), .anybody) == nil)
    }

    @Test("is asked of each approval, alone or as a vote, and of no rejection", arguments: [1, 2])
    mutating func asked(approvals: Int) {
        let rule = GateRule(approvals: approvals, value: members)
        #expect(rule.flaw(of: .rejected(reason: "")) == nil)
        #expect(book.open("s", rule: rule) == "waits")
        #expect(book.complete("s", #"{"ticket":7}"#).hasPrefix("bad_value: "))
        #expect(book.book.waiting.count == 1)
        let verdict = approvals == 1 ? #"delivered, 1 gets approved {"ticket":"T-1"}"# : "counted 1 of 2"
        #expect(book.complete("s", #"{"ticket":"T-1"}"#) == verdict)
        #expect(book.open("t", rule: rule) == "waits")
        #expect(book.reject("t", "no") == "delivered, 1 gets rejected no")
    }

    @Test("is asked of a decision that came early")
    mutating func early() {
        _ = book.complete("s", "7", by: "ada")
        _ = book.complete("s", #"{"ticket":"T-1"}"#, by: "bob")
        #expect(book.open(rule: GateRule(value: members)) == #"decided approved {"ticket":"T-1"}"#)
    }
}

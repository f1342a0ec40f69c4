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
        ("", "The value `ticket` is missing; a value of type string is expected."),
        ("null", "The value `ticket` is missing; a value of type string is expected."),
        (#"{"note":"x"}"#, "The value `ticket` is missing; a value of type string is expected."),
        (#"{"ticket":7}"#, "The value `ticket` must be of type string; found integer."),
        (#"{"ticket":null}"#, "The value `ticket` must be of type string; found null."),
        (#"{"ticket":"T-1","note":false}"#, "The value `note` must be of type string; found boolean."),
        (#"{"because":7,"ticket":"T-1"}"#, "The value `because` must be of type string; found integer."),
        (#"{"ticket":"T-1","noted":"x"}"#, "The gate takes no value \"noted\". Did you mean `note`?"),
        (#"{"ticket":"T-1","x\n":"x"}"#, "The gate takes no value \"x\\u{a}\"."),
        (#"["T-1"]"#, "The value must be an object; found array."),
        (#""T-1""#, "The value must be an object; found string."),
        ("7", "The value must be an object; found integer."),
        ("true", "The value must be an object; found boolean."),
    ]

    @Test("refuses another one, and says what is wrong and what it takes", arguments: unfit)
    func refuses(_ value: String, why: String) {
        let error = Self.flaw(value)
        #expect(error?.code == .badValue)
        #expect(error?.message == why)
        #expect(
            error?.next == "Approve with an object that has these keys: `note`: string, optional; `ticket`: string. "
                + "With `forgebus approve`, write --value key=TEXT for a string."
        )
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
            #expect(error?.message == "The value `v` must be of type \(type.rawValue); found \(found).")
        }
    }

    @Test("is no value if its rule names no members")
    func empty() {
        let rule = GateRule(value: [:])
        for value in ["", "null", "{}", #"{"because":"tested"}"#] { #expect(Self.flaw(value, rule) == nil) }
        let error = Self.flaw(#"{"a":1}"#, rule)
        #expect(error?.message == "The gate takes no value \"a\".")
        #expect(error?.next == "Approve without a value.")
    }

    @Test("has at most 16,384 bytes if several votes are needed")
    func large() {
        func value(_ size: Int) -> String { "\"" + String(repeating: "x", count: size - 2) + "\"" }
        for rule in [GateRule(approvals: 2), GateRule(rejections: 2)] {
            let error = Self.flaw(value(16_385), rule)
            #expect(error?.code == .badValue)
            #expect(error?.message == "The value of a vote may have at most 16384 bytes; found 16385.")
            #expect(error?.next == "Send a shorter value.")
            let reason = rule.flaw(of: .rejected(reason: String(repeating: "x", count: 16_385)))
            #expect(reason?.message == "The reason of a vote may have at most 16384 bytes; found 16385.")
            #expect(Self.flaw(value(16_384), rule) == nil)
        }
        #expect(Self.flaw(value(16_385), .anybody) == nil)
    }

    @Test("is asked of each approval, alone or as a vote, and of no rejection", arguments: [1, 2])
    mutating func asked(approvals: Int) {
        let rule = GateRule(approvals: approvals, value: members)
        #expect(rule.flaw(of: .rejected(reason: "")) == nil)
        #expect(book.open("s", rule: rule) == "waits")
        let refusal = "bad_value: The value `ticket` must be of type string; found integer."
        #expect(book.complete("s", #"{"ticket":7}"#) == refusal)
        #expect(book.book.waitingCount == 1)
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

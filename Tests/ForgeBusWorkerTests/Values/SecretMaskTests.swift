import ForgeBusProtocol
import ForgeOrchestrator
import TestSupport
import Testing

@testable import ForgeBusWorker

@Suite("A secret seed")
struct SecretMaskTests {
    private let seeds: [Seed] = [
        .required("token", .string, isSecret: true), .optional("key", .string, default: .null, isSecret: true),
        .required("user", .string),
    ]

    private func mask(_ values: [String: any Sendable]) throws -> SecretMask {
        try #require(SecretMask(seeds, values))
    }

    @Test("is replaced wherever its value stands in a text")
    func texts() throws {
        let mask = try mask(["token": "s3cr3t-1", "key": "s3cr3t-12", "user": "ada"])
        #expect(mask.masked("ada sent s3cr3t-1, s3cr3t-12 and s3cr3t-1") == "ada sent [secret], [secret] and [secret]")
        #expect(mask.masked("nothing") == "nothing")
    }

    @Test("is replaced where a text was cut inside of it")
    func cut() throws {
        let mask = try mask(["token": "s3cr3t-1"])
        #expect(mask.masked("the token is s3cr") == "the token is [secret]")
        #expect(mask.masked("3t-1 was refused") == "[secret] was refused")
        #expect(mask.masked("s3c") == "s3c", "fewer than four characters are kept")
    }

    @Test("is replaced in each text and key of a value")
    func values() throws {
        let mask = try mask(["token": "s3cr3t-1"])
        let value: JSONValue = ["a": ["x s3cr3t-1", 1, nil], "s3cr3t-1": ["b": "s3cr3t-1"]]
        #expect(mask.masked(value) == ["a": ["x [secret]", 1, nil], "[secret]": ["b": "[secret]"]])
    }

    @Test("is replaced in the reason of a failure and in a gate's message")
    func leaving() throws {
        let mask = try mask(["token": "s3cr3t-1"])
        let report = ActionReport(id: "a", result: .failed("no s3cr3t-1"), start: .zero, duration: .zero)
        #expect(mask.masked(report).result == .failed("no [secret]"))
        let failure = mask.masked(RunRest.Kind.failed(reason: "no s3cr3t-1"))
        guard case .failed("no [secret]") = failure else { throw Missing("a failure") }
        let gate = mask.masked(.gate("s", rule: .anybody, deadline: nil, message: "with s3cr3t-1?"))
        guard case .gate(_, _, _, "with [secret]?") = gate else { throw Missing("a gate") }
    }

    @Test("needs no mask where none is given")
    func none() { #expect(SecretMask(seeds, ["user": "ada"]) == nil) }

    @Test("is refused if it is so short that any text could have it, and the refusal does not show it")
    func short() throws {
        let error = #expect(throws: BusError.self) {
            try Seed.values(of: ["token": "abc", "user": "x"], declared: seeds)
        }
        #expect(error?.code == .badSeed && error?.message.contains("abc") == false)
        #expect(try Seed.values(of: ["token": "abcd", "user": "x"], declared: seeds).count == 2)
    }

    @Test("must not be part of a gate, and must be a string")
    func flaws() {
        func flaw(_ gate: GateAction, _ seed: Seed) -> String? {
            HostedPipeline("p", pipeline(gate), seeds: [seed]).flaw
        }
        let secret = Seed.required("token", .string, isSecret: true)
        let shown = Errors.secretInGate("a", "token")
        #expect(flaw(GateAction("a", signal: "x.{seed.token}"), secret) == shown)
        let told = GateAction("a", signal: "x", message: "{seed.token}?")
        #expect(flaw(told, secret) == shown)
        #expect(flaw(GateAction("a", signal: "x"), secret) == nil)
        let number = Seed.required("token", .integer, isSecret: true)
        let typed = Errors.secretOfWrongType("token", type: "integer")
        #expect(flaw(GateAction("a", signal: "x"), number) == typed)
        let short = Seed.optional("token", .string, default: "abc", isSecret: true)
        let cut = Errors.badSecretDefault("token", least: 4)
        #expect(flaw(GateAction("a", signal: "x"), short) == cut)
    }
}

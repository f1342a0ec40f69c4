import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

@Suite("A signal's template")
struct SignalTemplateTests {
    private func flaw(_ text: String) -> ErrorCode? {
        do throws(BusError) {
            _ = try SignalTemplate(text)
            return nil
        } catch {
            return error.code
        }
    }

    /// What is wrong with the seeds of `run-1`.
    private func flaw(_ template: SignalTemplate, _ values: [String: any Sendable]) -> ErrorCode? {
        do throws(BusError) {
            _ = try template.signal(of: "run-1", with: values)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "is filled with the tokens of the run",
        arguments: [
            ("deploy.{seed.version}.approve", "deploy.v4.approve"), ("{seed.version}", "v4"), ("plain.id", "plain.id"),
            ("a-{seed.number}-b.{seed.version}", "a-42-b.v4"),
        ]
    )
    func filling(text: String, signal: String) throws {
        let context = PipelineContext(["version": "v4", "number": 42])
        #expect(try SignalTemplate(text).signal(for: context).text == signal)
    }

    @Test("names the seeds it needs, in their order")
    func seeds() {
        #expect(SignalTemplate("a.{seed.b}.{run.id}.{seed.a}").seeds == ["b", "a"])
    }

    @Test(
        "that is no name with tokens in its places is refused",
        arguments: [
            "", "a..b", "a.", "a b", "{run}", "{seed.}", "{seed}", "{other.x}", "a.{run.id", "a}b",
        ]
    )
    func refused(text: String) {
        #expect(flaw(text) == .badName)
    }

    @Test(
        "takes of a seed one token only, so that nobody chooses who decides",
        arguments: [
            ".", "1.", ".1", "1..2", "", "a b", "*", ">", "ü", String(repeating: "x", count: 65),
        ]
    )
    func seedsThatAreNoToken(value: String) {
        let template = SignalTemplate("deploy.{seed.version}.approve")
        #expect(flaw(template, ["version": value]) == .badSeed)
    }

    @Test(
        "spells single dots of a seed as dashes, so that a version can be part of it",
        arguments: [("1.2.3", "deploy.1-2-3.approve"), ("other.signal", "deploy.other-signal.approve")]
    )
    func versions(value: String, signal: String) throws {
        let template = SignalTemplate("deploy.{seed.version}.approve")
        #expect(try template.signal(for: PipelineContext(["version": value])).text == signal)
    }

    @Test("misses a seed that is absent or of a type without a token")
    func missing() {
        let template = SignalTemplate("deploy.{seed.version}")
        #expect(flaw(template, [:]) == .badSeed)
        #expect(flaw(template, ["version": 1.5]) == .badSeed)
        #expect(flaw(template, ["version": "4"]) == nil)
    }

    @Test("takes no seed that makes a token or the whole too long with the text and the run's id around it")
    func tooLong() {
        let mixed = SignalTemplate("mix-{seed.version}.approve")
        #expect(flaw(mixed, ["version": String(repeating: "v", count: 60)]) == nil)
        #expect(flaw(mixed, ["version": String(repeating: "v", count: 61)]) == .badSeed)
        let ofRun = SignalTemplate("{run.id}-{seed.version}")
        #expect(flaw(ofRun, ["version": String(repeating: "v", count: 58)]) == nil)
        #expect(flaw(ofRun, ["version": String(repeating: "v", count: 59)]) == .badSeed)
        let long = SignalTemplate("{seed.version}.{seed.version}.{seed.version}.{seed.version}")
        #expect(flaw(long, ["version": String(repeating: "v", count: 63)]) == nil)
        #expect(flaw(long, ["version": String(repeating: "v", count: 64)]) == .badSeed)
    }
}

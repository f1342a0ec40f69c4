import ForgeBusProtocol
import ForgeOrchestrator
import Testing

@testable import ForgeBusWorker

/// One value of each JSON type.
private let samples: [JSONValue] = [nil, true, 7, 1.5, "ada", ["a", "b"], ["k": 1]]

@Suite("A seed")
struct SeedTests {
    private func values(_ seeds: JSONObject, _ declared: Seed...) throws(BusError) -> [String: any Sendable] {
        try Seed.values(of: seeds, declared: declared)
    }

    private func error(_ seeds: JSONObject, _ declared: Seed...) -> BusError? {
        do throws(BusError) {
            _ = try Seed.values(of: seeds, declared: declared)
            return nil
        } catch {
            return error
        }
    }

    @Test("takes its own type, an integer for a number, and nothing else", arguments: ValueType.allCases, samples)
    func types(type: ValueType, sample: JSONValue) {
        let found = error(["k": sample], .required("k", type))
        if type.rawValue == sample.typeName || (type == .number && sample.typeName == "integer") {
            #expect(found == nil)
        } else {
            #expect(found?.code == .badSeed)
            #expect(found?.details == ["seed": "k", "expected": .string(type.rawValue)])
        }
    }

    @Test("is in the context as the Swift value of its type")
    func swiftValues() throws {
        let seeds: JSONObject = ["s": "ada", "i": 7, "n": 2, "b": true, "a": ["x", "y"], "o": ["k": 1]]
        let declared: [Seed] = [
            .required("s", .string), .required("i", .integer), .required("n", .number), .required("b", .boolean),
            .required("a", .array), .required("o", .object),
        ]
        let context = PipelineContext(try Seed.values(of: seeds, declared: declared))
        #expect(context.get("s") as String? == "ada")
        #expect(context.get("i") as Int? == 7)
        #expect(context.get("n") as Double? == 2.0)
        #expect(context.get("b") as Bool? == true)
        #expect(context.get("a") as [String]? == ["x", "y"])
        #expect(context.get("o") as [String: Int]? == ["k": 1])
    }

    @Test("that is a number and came as an integer reads as a Double, and is written with its digits")
    func integers() throws {
        let seeds = try values(
            ["n": 9_007_199_254_740_993, "one": 1],
            .required("n", .number),
            .required("one", .number)
        )
        let context = PipelineContext(seeds)
        #expect(context.get("n") as Double? == 9_007_199_254_740_992)
        #expect(context.get("n") as Int? == nil)
        #expect(context.values["one"] as? Double == 1)
        let pipeline = HostedPipeline("p", PipelineOrchestrator(), outputs: ["n", "one"])
        #expect(RunOutputs(of: pipeline, context.written, beside: []).values == ["n": 9_007_199_254_740_993, "one": 1])
        context.set("one", 1.0)
        #expect(RunOutputs(of: pipeline, context.written, beside: []).values["one"] == .number(1))
    }

    @Test("that is required and missing is named, with what is expected")
    func missing() {
        let found = error([:], .required("user", .string))
        #expect(found?.code == .badSeed)
        #expect(found == Errors.seedMissing("user", type: "string"))
    }

    @Test("that may be left out has its default, and a default of null leaves no value")
    func defaults() throws {
        let values = try values([:], .optional("n", .integer, default: 3), .optional("s", .string, default: nil))
        #expect(values["n"] as? Int == 3)
        #expect(values["s"] == nil)
        #expect(try self.values(["n": 4], .optional("n", .integer, default: 3))["n"] as? Int == 4)
    }

    @Test("that is not declared is refused, and the declared one it looks like is named")
    func unknown() {
        let misspelt = error(["usre": "ada"], .required("user", .string))
        #expect(misspelt?.code == .badSeed)
        #expect(misspelt?.message.contains("`user`") == true)
        #expect(misspelt == Errors.unknownSeed("usre", declared: [("user", "string")]))
        let foreign = error(["colour": "red"], .required("user", .string))
        #expect(foreign?.message.contains("Did you mean") == false)
        #expect(error(["x": 1]) == Errors.unknownSeed("x", declared: []))
    }
}

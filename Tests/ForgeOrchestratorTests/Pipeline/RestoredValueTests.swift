import Foundation
import Testing

@testable import ForgeOrchestrator

/// A value with a name.
struct Ticket: Codable, Equatable, Sendable {
    var number: Int
}

/// Another one that looks the same as JSON.
struct Coupon: Codable, Equatable, Sendable {
    var number: Int
}

@Suite("A value that was kept while its run did not execute")
struct RestoredValueTests {
    private func kept<Value: Encodable>(_ value: Value, as name: String? = nil) throws -> RestoredValue {
        let name = name ?? RestoredValue.name(of: Value.self)
        return RestoredValue(typeName: name, encoded: Array(try JSONEncoder().encode(value))) { type, bytes in
            try? JSONDecoder().decode(type, from: Data(bytes))
        }
    }

    @Test("is read as the type it had, and as no other that could read it as well")
    func types() throws {
        let context = PipelineContext(["ticket": try kept(Ticket(number: 7)), "list": try kept([1, 2])])
        #expect(context.get("ticket") == Ticket(number: 7))
        #expect(context.get("ticket") as Coupon? == nil)
        #expect(context.get("list") == [1, 2])
        #expect(context.get("list") as [Double]? == nil)
        #expect(context.get("list") as Set<Int>? == nil)
    }

    @Test("that cannot be read any more as its type is not there")
    func changed() throws {
        let context = PipelineContext(["ticket": try kept("seven", as: RestoredValue.name(of: Ticket.self))])
        #expect(context.get("ticket") as Ticket? == nil)
        #expect(context.get("ticket") as String? == nil)
    }

    @Test("has a name that tells the module and what its type stands in, and types of one name apart")
    func names() {
        struct Ticket {}
        #expect(RestoredValue.name(of: Int.self) == "Swift.Int")
        #expect(RestoredValue.name(of: [String: [Int]].self).contains("Swift.Array<Swift.Int>"))
        #expect(RestoredValue.name(of: Coupon.self) == "ForgeOrchestratorTests.Coupon")
        #expect(RestoredValue.name(of: Ticket.self) != RestoredValue.name(of: ForgeOrchestratorTests.Ticket.self))
    }

    @Test("is replaced and removed like any other")
    func replaced() throws {
        let context = PipelineContext(["ticket": try kept(Ticket(number: 7))])
        context.set("ticket", Coupon(number: 8))
        #expect(context.get("ticket") == Coupon(number: 8))
        context.remove("ticket")
        #expect(context.get("ticket") as Coupon? == nil)
    }
}

@Suite("What changed in a context")
struct ContextChangesTests {
    private let context = PipelineContext(["seed": 1])

    private func take() -> [String: Int?] {
        Dictionary(uniqueKeysWithValues: context.takeChanges().map { ($0.key, $0.value as? Int) })
    }

    @Test("is noted only once somebody asks for it, seeds left out")
    func unnoted() {
        context.set("a", 1)
        #expect(context.takeChanges().isEmpty)
        context.noteChanges()
        #expect(context.takeChanges().isEmpty)
    }

    @Test("is told once, with what is there now, and that something was removed")
    func told() {
        context.noteChanges()
        context.set("a", 1)
        context.set("a", 2)
        context.set("b", 3)
        context.remove("b")
        context.remove("seed")
        #expect(take() == ["a": 2, "b": nil, "seed": nil])
        #expect(context.takeChanges().isEmpty)
        context.set("c", 4)
        #expect(take() == ["c": 4])
    }
}

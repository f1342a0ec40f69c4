import ForgeOrchestrator
import Testing

extension ContextKey<String> {
    fileprivate static var userID: Self { Self("user.id") }
}

extension ContextKey<[Int]> {
    fileprivate static var counts: Self { Self("feed.counts") }
}

extension ContextKey where Value == Int {
    fileprivate static var sameName: Self { Self("user.id") }
}

@Suite("A typed key of a context")
struct ContextKeyTests {
    private let context = PipelineContext()

    @Test("reads and writes a value of its type")
    func readAndWrite() {
        #expect(context[.userID] == nil)
        context[.userID] = "ada"
        context[.counts] = [1]
        context[.counts]?.append(2)
        #expect(context[.userID] == "ada" && context[.counts] == [1, 2])
        context[.userID] = nil
        #expect(context.values.keys.sorted() == ["feed.counts"])
    }

    @Test("shares its place with the string of its name")
    func strings() {
        context[.userID] = "ada"
        #expect(context.get("user.id") as String? == "ada")
        context.set("user.id", "grace")
        #expect(context[.userID] == "grace")
        context.set("user.id", 7)
        #expect(context[.userID] == nil, "it is of another type")
        #expect(PipelineContext([ContextKey<String>.userID.name: "ada"])[.userID] == "ada")
    }

    @Test("shares its place with a key of the same name and another type")
    func collision() {
        context[.userID] = "ada"
        #expect(context[.sameName] == nil)
        context[.sameName] = 7
        #expect(context[.userID] == nil && context[.sameName] == 7)
    }
}

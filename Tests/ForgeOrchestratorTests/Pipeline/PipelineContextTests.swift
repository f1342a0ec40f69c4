import ForgeOrchestrator
import Testing

private class Animal: @unchecked Sendable {}
private final class Dog: Animal, @unchecked Sendable {}
private protocol Named: Sendable { var name: String { get } }
private struct Person: Named { let name: String }

@Suite("A pipeline context")
struct PipelineContextTests {
    @Test("begins with its seeds and shows a snapshot of its values")
    func seeds() {
        let context = PipelineContext(["user": "ada", "limit": 3])
        #expect(context.get("user") as String? == "ada")
        let before = context.values
        context.set("user", "grace")
        context.remove("limit")
        #expect(before.count == 2 && before["user"] as? String == "ada")
        #expect(context.values.count == 1 && context.get("user") as String? == "grace")
    }

    @Test("answers nil for another type, also for an empty collection")
    func wrongType() {
        let context = PipelineContext(["int": 1, "ints": [1], "none": [Int](), "map": [String: Int](), "text": "1"])
        #expect(context.get("int") as String? == nil)
        #expect(context.get("int") as Double? == nil)
        #expect(context.get("ints") as [String]? == nil)
        #expect(context.get("none") as [String]? == nil)
        #expect(context.get("none") as [Int]? == [])
        #expect(context.get("none") as Set<Int>? == nil)
        #expect(context.get("map") as [String: String]? == nil)
        #expect(context.get("map") as [String: Int]? == [:])
        #expect(context.get("text") as Int? == nil)
    }

    @Test("answers nil for another type also where only what is inside is empty")
    func wrongTypeInside() {
        let untyped: [any Sendable] = []
        let context = PipelineContext([
            "lists": ["ada": [Int](), "bob": []], "deep": [["ada": [Int]()]], "sets": [Set<Int>()],
            "json": ["ada": untyped] as [String: any Sendable],
        ])
        #expect(context.get("lists") as [String: [String]]? == nil)
        #expect(context.get("lists") as [String: [Int]]? == ["ada": [], "bob": []])
        #expect(context.get("deep") as [[String: [String]]]? == nil)
        #expect(context.get("deep") as [[String: [Int]]]? == [["ada": []]])
        #expect(context.get("sets") as [Set<String>]? == nil)
        #expect(context.get("json") as [String: [String]]? == ["ada": []])
        #expect(context.get("json") as [String: [Int]]? == ["ada": []])
    }

    @Test("reads a value as a protocol, a superclass or an optional")
    func widerType() {
        let context = PipelineContext(["person": Person(name: "Ada"), "dog": Dog(), "maybe": Optional(3) as Int?])
        #expect((context.get("person") as (any Named)?)?.name == "Ada")
        #expect(context.get("dog") as Animal? != nil)
        #expect(context.get("maybe") as Int? == 3)
        #expect(context.get("person") as (any Sendable)? != nil)
    }

    @Test("reads collections whose elements were stored without a type, as in decoded JSON")
    func untypedCollections() {
        let list: [any Sendable] = ["a", "b"]
        let nothing: [any Sendable] = []
        let object: [String: any Sendable] = ["a": 1]
        let context = PipelineContext(["list": list, "nothing": nothing, "object": object])
        #expect(context.get("list") as [String]? == ["a", "b"])
        #expect(context.get("list") as [Int]? == nil)
        #expect(context.get("nothing") as [String]? == [])
        #expect(context.get("object") as [String: Int]? == ["a": 1])
        #expect(context.get("list") as [String?]? == ["a", "b"])
        #expect((context.get("list") as [any Sendable]?)?.count == 2)
        #expect((context.get("list") as [any Hashable & Sendable]?)?.count == 2)
        #expect(context.get("list") as Set<String>? == nil)
        #expect(context.get("list") as String? == nil)
    }

    @Test("reads lists of lists whose elements were stored without a type")
    func untypedLists() {
        let mixed: [any Sendable] = [["a"] as [any Sendable], [] as [any Sendable], ["b"]]
        let wrong: [any Sendable] = [["a"] as [any Sendable], [Int]()]
        let dogs: [any Sendable] = [Dog(), Dog()]
        let maps: [any Sendable] = [["ada": [Int]()] as [String: any Sendable]]
        let context = PipelineContext(["mixed": mixed, "wrong": wrong, "dogs": dogs, "maps": maps])
        #expect(context.get("mixed") as [[String]]? == [["a"], [], ["b"]])
        #expect(context.get("mixed") as [[Int]]? == nil)
        #expect(context.get("mixed") as [[String]?]? == [["a"], [], ["b"]])
        #expect(context.get("wrong") as [[String]]? == nil)
        #expect((context.get("dogs") as [Animal]?)?.count == 2)
        #expect(context.get("maps") as [[String: [String]]]? == nil)
        #expect(context.get("maps") as [[String: [Int]]]? == [["ada": []]])
    }

    @Test("may be written from many tasks at once")
    func concurrentWrites() async {
        let context = PipelineContext()
        await withDiscardingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    context.set("key-\(number)", number)
                    context.set("shared", number)
                    _ = context.get("shared") as Int?
                }
            }
        }
        #expect(context.values.count == 201)
        let read = (0..<200).map { context.get("key-\($0)") as Int? }
        #expect(read == Array(0..<200))
    }

    @Test("survives a value that comes back to it while it is released")
    func reentrantRelease() {
        final class Last: Sendable {
            let context: PipelineContext
            init(_ context: PipelineContext) { self.context = context }
            deinit { context.set("released", true) }
        }
        let context = PipelineContext()
        context.set("last", Last(context))
        context.set("last", 1)
        #expect(context.get("released") as Bool? == true)
        context.remove("released")
        context.set("last", Last(context))
        context.remove("last")
        #expect(context.get("released") as Bool? == true)
    }

    @Test("carries the handle of its host, once")
    func host() async {
        let context = PipelineContext()
        #expect(context.host == nil)
        let host = Bystander()
        context.attach(host)
        #expect(context.host as? Bystander === host)
        await #expect(processExitsWith: .failure) {
            let context = PipelineContext()
            context.attach(Bystander())
            context.attach(Bystander())
        }
    }

    @Test("lets its host stand between the run and its actions")
    func standingBetween() async {
        let pipeline = PipelineOrchestrator()
        pipeline.register(Refused())
        let context = PipelineContext()
        context.attach(Bystander())
        let report = await pipeline.run(context: context)
        #expect(report.results == [.completed], "the host said so, the action would have failed")
    }

    @Test("executes itself the actions before which its host does not stand")
    func notStandingBetween() async {
        let pipeline = PipelineOrchestrator()
        pipeline.register(Refused())
        let context = PipelineContext()
        context.attach(Bystander(standsBefore: ["another"]))
        let report = await pipeline.run(context: context)
        #expect(report.results == [.failed("executed")])
    }
}

/// A host that executes nothing and calls it done.
private final class Bystander: PipelineHost {
    private let actions: Set<ActionID>
    let hearsTransitions = true

    init(standsBefore actions: Set<ActionID> = ["refused"]) { self.actions = actions }

    func standsBefore(_ action: any PipelineAction) -> Bool { actions.contains(action.id) }
    func execute(_ action: any PipelineAction, in context: PipelineContext) async -> ActionResult? { .completed }
}

private struct Refused: PipelineAction {
    let id: ActionID = "refused"
    let priority = ActionPriority.medium

    func shouldRun() async -> Bool { true }
    func execute(context: PipelineContext) async -> ActionResult { .failed("executed") }
}

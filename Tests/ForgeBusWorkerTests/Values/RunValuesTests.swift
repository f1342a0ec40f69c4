import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator
import Foundation
import Testing

@testable import ForgeBusWorker

/// What an action might put into a context.
struct Parcel: Codable, Hashable, Sendable {
    enum Size: String, Codable, Sendable { case small, large }
    var id: Int
    var size: Size
    var notes: [String: [Double]]
}

/// Looks as JSON like a ``Parcel``.
struct Packet: Codable, Hashable, Sendable {
    var id: Int
    var size: String
    var notes: [String: [Double]]
}

final class Handle: Sendable {}

@Suite("A value of a context that is kept")
struct RunValuesTests {
    /// What a context was told, and what one holds that is made of what was kept of it.
    private func restored(
        _ seeds: [String: any Sendable] = [:],
        _ fill: (PipelineContext) -> Void
    ) throws -> (PipelineContext, RunValues) {
        let context = PipelineContext(seeds)
        context.noteChanges()
        fill(context)
        let kept = RunValues(changedIn: context)
        let next = PipelineContext(seeds)
        for value in kept.values {
            if let restored = value.restored { next.set(value.key, restored) } else { next.remove(value.key) }
        }
        return (next, kept)
    }

    private func returns<Value: Hashable & Sendable>(_ value: Value) throws -> Bool {
        let (context, kept) = try restored { $0.set("v", value) }
        return kept.unkept == nil && context.get("v") == value
    }

    private let parcel = Parcel(id: 7, size: .large, notes: ["a": [1.5, 2]])

    @Test("is what it was: a scalar")
    func scalars() throws {
        #expect(try returns("äöü \u{0} \""))
        #expect(try returns(Int.min) && returns(Int.max))
        #expect(try returns(0.1) && returns(3.0) && returns(-0.0) && returns(1e300))
        #expect(try returns(true))
        #expect(try returns(UInt64.max) && returns(Int8(-1)) && returns(Float(0.1)))
    }

    @Test("is what it was: an array, a dictionary, a set, one in the other, and an empty one")
    func collections() throws {
        #expect(try returns([1, 2, 3]) && returns(["a"]) && returns([3.0, 0.1]))
        #expect(try returns(["a": 1]) && returns(["a": ["b": [true]]]))
        #expect(try returns(Set([1, 2])))
        #expect(try returns([Int]()) && returns([String: Int]()))
    }

    @Test("is what it was: whatever is Codable and has a name")
    func codable() throws {
        #expect(try returns(parcel) && returns([parcel]) && returns(["a": parcel]))
        #expect(try returns(Parcel.Size.small))
        #expect(try returns(URL(string: "https://example.org/a?b=c")!) && returns(Date(timeIntervalSince1970: 0.5)))
    }

    @Test("is what it was: JSON, and an array or object whose elements have no type of their own")
    func untyped() throws {
        for value in [.null, 1, 1.0, "a", [1, nil], ["a": 1.0]] as [JSONValue] {
            #expect(try returns(value), "\(value)")
        }
        let (context, kept) = try restored { context in
            context.set("list", [1, 2] as [any Sendable])
            context.set("mixed", [1, "a", 3.0, JSONValue.null] as [any Sendable])
            context.set("object", ["a": 1, "b": 2] as [String: any Sendable])
        }
        #expect(kept.unkept == nil)
        #expect(context.get("list") == [1, 2])
        let mixed: [any Sendable]? = context.get("mixed")
        #expect(mixed?[1] as? String == "a" && mixed?[2] as? Double == 3 && mixed?[3] as? JSONValue == .null)
        #expect(context.get("object") == ["a": 1, "b": 2])
    }

    @Test("is of the type that it was, and of no other of the same JSON")
    func types() throws {
        let (context, _) = try restored { context in
            context.set("parcel", parcel)
            context.set("integers", [1, 2])
            context.set("integer", 1)
            context.set("empty", [Int]())
            context.set("url", URL(string: "https://example.org")!)
        }
        #expect(context.get("parcel") as Packet? == nil)
        #expect(context.get("parcel") as Parcel? == parcel)
        #expect(context.get("integers") as [Double]? == nil)
        #expect(context.get("integers") as Set<Int>? == nil)
        #expect(context.get("integer") as Double? == nil)
        #expect(context.get("integer") as Int8? == nil)
        #expect(context.get("empty") as [String]? == nil)
        #expect(context.get("url") as String? == nil)
        #expect(context.get("parcel") as String? == nil)
    }

    @Test("has to have a form, and a name that outlives the process; what has none is named")
    func unkept() throws {
        struct Local: Codable, Sendable {}
        let values: [any Sendable] = [Handle(), Hidden(), Local(), { 1 } as @Sendable () -> Int, Double.infinity]
        for value in values {
            let (_, kept) = try restored { $0.set("v", value as any Sendable) }
            #expect(kept.unkept == "v", "\(value)")
            #expect(kept.values.isEmpty)
        }
        let (_, kept) = try restored { context in
            context.set("good", 1)
            context.set("bad", Handle())
        }
        #expect(kept.unkept == "bad")
        #expect(kept.values.map(\.key) == ["good"])
    }

    @Test("takes the place of a seed, and may be that there is none any more")
    func removal() throws {
        let seeds: [String: any Sendable] = ["a": 1, "b": 2, "c": 3]
        let (context, kept) = try restored(seeds) { context in
            context.remove("a")
            context.set("b", "two")
        }
        #expect(context.get("a") as Int? == nil)
        #expect(context.get("b") == "two")
        #expect(context.get("c") == 3)
        #expect(kept.values.map(\.key).sorted() == ["a", "b"], "a seed that nobody touched is kept with the request")
    }

    @Test("can be kept once more as it is, by a worker that does not know its type")
    func again() throws {
        let (first, kept) = try restored { $0.set("v", parcel) }
        first.noteChanges()
        let moved: (any Sendable)? = first.values["v"]
        if let moved { first.set("w", moved) }
        let second = RunValues(changedIn: first)
        #expect(second.values.map(\.json) == kept.values.map(\.json))
        #expect(second.values.map(\.type) == kept.values.map(\.type))
    }

    @Test("comes out of a run as it would have come out before")
    func outputs() throws {
        let values: [String: any Sendable] = [
            "string": "a", "integer": 1, "whole": 3.0, "part": 0.1, "small": Int8(3), "huge": UInt64(1) << 60,
            "float": Float(0.1), "floats": [Float(2)], "list": [1, 2], "wholes": [3.0, 0.5], "object": ["a": [1.0]],
            "json": JSONValue.null,
            "untyped": [1, "a", 2.0] as [any Sendable], "empty": [String](), "flags": [true],
        ]
        let hosted = HostedPipeline("p", pipeline(), outputs: values.keys.sorted())
        let (context, kept) = try restored { context in
            for (key, value) in values { context.set(key, value) }
        }
        #expect(kept.unkept == nil)
        let before = RunOutputs(of: hosted, values, beside: [])
        let after = RunOutputs(of: hosted, context.values, beside: [])
        #expect(before.flaw == nil && after.flaw == nil)
        for key in hosted.outputs {
            #expect(after.values[key]?.encoded == before.values[key]?.encoded, "\(key)")
        }
    }

    @Test("and has no JSON form is told to be what it is")
    func formless() throws {
        let hosted = HostedPipeline("p", pipeline(), outputs: ["v"])
        for value in [parcel, ["a": parcel], Set([1]), UInt64.max, [1: "a"], Parcel.Size.large] as [any Sendable] {
            let (context, _) = try restored { $0.set("v", value as any Sendable) }
            let before = RunOutputs(of: hosted, ["v": value], beside: [])
            let after = RunOutputs(of: hosted, context.values, beside: [])
            #expect(before.flaw != nil)
            #expect(after.flaw == before.flaw)
        }
    }
}

/// Codable, but private to its file: another build may call it otherwise.
private struct Hidden: Codable, Sendable {}

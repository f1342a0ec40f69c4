import ForgeBusProtocol
import ForgeBusStore
import ForgeOrchestrator

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Values of a context as a store keeps them, and back.
///
/// | value | kept as |
/// |---|---|
/// | with a JSON form: `String`, `Int`, `[String: Int]` … | that, with the name of its Swift type |
/// | `Codable` | what `JSONEncoder` makes of it, with the name of its Swift type |
/// | any other | nothing: its run begins again after a crash |
extension RunValues {
    /// What was set in the context since it was last asked.
    init(changedIn context: PipelineContext) {
        for (key, value) in context.takeChanges() {
            guard let value else {
                values.append(ProgressRecord.Value(key: key, type: "", json: []))
                continue
            }
            guard let kept = ProgressRecord.Value(key: key, value) else {
                unkept = key
                continue
            }
            values.append(kept)
        }
    }
}

extension ProgressRecord.Value {
    /// Stands for a JSON array or object whose elements have no type of their own.
    private static let untyped = "JSON"

    /// The value as it is kept; nil if it has no form for that.
    fileprivate init?(key: String, _ value: any Sendable) {
        if let restored = value as? RestoredValue {
            self.init(key: key, type: restored.typeName, json: restored.encoded)
        } else if Swift.type(of: value) == [any Sendable].self
            || Swift.type(of: value) == [String: any Sendable].self || value is JSONValue
        {
            guard let json = JSONValue(swiftValue: value) else { return nil }
            self.init(key: key, type: Self.untyped, json: json.encoded)
        } else {
            let name = RestoredValue.name(of: Swift.type(of: value))
            // A type that is private to its file has no name that outlives the process.
            guard value is any Decodable, let value = value as? any Encodable, !name.contains("unknown context"),
                let json = try? JSONEncoder().encode(value)
            else { return nil }
            self.init(key: key, type: name, json: Array(json))
        }
    }

    /// What the context holds again; nil for what was removed.
    var restored: (any Sendable)? {
        if type.isEmpty { return nil }
        let plain: [any (Codable & Sendable).Type] = [String.self, Int.self, Double.self, Bool.self]
        if let known = plain.first(where: { RestoredValue.name(of: $0) == type }) {
            return try? JSONDecoder().decode(known, from: Data(json))
        }
        if type == Self.untyped {
            let value = try? JSONValue(parsing: json[...])
            return value?.swiftValue ?? value
        }
        return RestoredValue(typeName: type, encoded: json) { type, bytes in
            try? JSONDecoder().decode(type, from: Data(bytes))
        }
    }
}

extension JSONValue {
    /// The JSON of a value of a context, be it one that was restored; nil for a type that has none.
    package init?(contextValue value: any Sendable) {
        guard let restored = value as? RestoredValue else {
            self.init(swiftValue: value)
            return
        }
        // A collection of plain values is JSON as it stands; what only Codable can write has no JSON form here.
        guard restored.typeName.isPlain, let json = try? JSONValue(parsing: restored.encoded[...]) else { return nil }
        self = json
    }
}

extension String {
    /// Whether a type of this name is made of strings, numbers, Booleans, arrays and dictionaries only.
    fileprivate var isPlain: Bool {
        let names = split { "<>, ".contains($0) }
        return names.allSatisfy { name in
            ["Swift.Array", "Swift.Dictionary", "Swift.String", "Swift.Int", "Swift.Double", "Swift.Bool"].contains(
                name
            )
                || name.hasPrefix("Swift.Int") || name.hasPrefix("Swift.UInt") || name == "Swift.Float"
        }
    }
}

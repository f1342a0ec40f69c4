import ForgeBusProtocol
import Yams

/// A YAML scalar as JSON, by the JSON schema of YAML 1.2: a plain scalar that is a JSON value is read as JSON.
///
/// An empty plain scalar and a plain `~` are null, and every other scalar is a text. So `no`, `on`, `012` and `1:30`
/// stay texts, which YAML 1.1 would silently convert.
extension Node.Scalar {
    /// The scalar as JSON, regardless of a tag; ``TagSearch`` records each tag as a problem.
    var json: JSONValue { style == .plain ? plain : .string(string) }

    private var plain: JSONValue {
        if string.isEmpty || string == "~" { return .null }
        guard let value = try? JSONValue(parsing: Array(string.utf8)[...]) else { return .string(string) }
        switch value {
        case .null, .bool, .integer, .number: return value
        case .string, .array, .object: return .string(string)
        }
    }
}

extension Entry {
    /// The value as JSON, of any kind.
    var json: JSONValue? {
        switch node {
        case .scalar(let scalar): return scalar.json
        case .sequence:
            guard let elements = elements() else { return nil }
            let values = elements.compactMap(\.json)
            return values.count == elements.count ? .array(values) : nil
        case .mapping:
            guard let members = members() else { return nil }
            var object = JSONObject()
            for member in members {
                guard let value = member.entry.json else { return nil }
                object[member.name] = value
            }
            return .object(object)
        case .alias:
            mustBe("a value")
            return nil
        }
    }
}

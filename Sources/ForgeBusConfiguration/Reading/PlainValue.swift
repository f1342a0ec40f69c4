import ForgeBusProtocol
import Yams

/// YAML values as JSON, by the JSON rules of YAML 1.2: plain JSON values are read as JSON, all others are text.
///
/// So `no`, `on`, `012` and `1:30` stay texts; older YAML would silently convert them.
extension Node.Scalar {
    /// The scalar as JSON; a tag does not change the value, because ``TagSearch`` records it as a problem.
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

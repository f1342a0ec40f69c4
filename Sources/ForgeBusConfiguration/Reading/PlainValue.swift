import ForgeBusProtocol
import Yams

/// YAML values as JSON, by the JSON rules of YAML 1.2: what looks like JSON is that, everything else is text.
///
/// So `no`, `on`, `012` and `1:30`, which older YAML turns into something else behind the author's back, stay texts.
extension Node.Scalar {
    /// The value; a tag says nothing about it, and was noted.
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
    /// The value as JSON, whatever it is.
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

import ForgeBusProtocol
import Yams

/// A YAML scalar as JSON, as in the JSON schema of YAML 1.2.
///
/// A scalar without quotes that is a JSON number, `true`, `false` or `null` has that value. An empty scalar and `~`
/// without quotes are null. Every other scalar is a text. So `no`, `on`, `012` and `1:30` stay texts; YAML 1.1 would
/// silently convert them.
extension Node.Scalar {
    /// The scalar as JSON; ignores a tag, because ``TagSearch`` records each tag as a problem.
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
    /// The place that a placeholder without quotation marks, such as `{seed.version}`, names; nil for any other value.
    ///
    /// In YAML, it is a mapping with one key and an empty value.
    var bracedPlace: String? {
        guard case .mapping(let mapping) = node, mapping.count == 1, let member = mapping.first,
            case .scalar(let key) = member.key, case .scalar(let value) = member.value,
            value.style == .plain, value.string.isEmpty,
            key.string.wholeMatch(of: #/run\.id|(seed|value|cause)\.[A-Za-z0-9_.-]+/#) != nil
        else { return nil }
        return key.string
    }

    /// The value as JSON: a scalar, an array or an object; nil after recording a problem.
    var json: JSONValue? {
        switch node {
        case .scalar(let scalar): return scalar.json
        case .sequence:
            guard let elements = elements() else { return nil }
            let values = elements.compactMap(\.json)
            return values.count == elements.count ? .array(values) : nil
        case .mapping:
            if let place = bracedPlace {
                note(Errors.unquotedPlaceholder(place))
                return nil
            }
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

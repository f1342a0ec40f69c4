package import ForgeBusProtocol
import ForgeOrchestrator

extension JSONValue {
    /// The JSON of a value of a context, the same whether it was restored or not; nil for a type that has none.
    package init?(contextValue value: any Sendable) {
        if let number = value as? WrittenInteger {
            self = .integer(number.digits)
            return
        }
        guard let restored = value as? RestoredValue else {
            self.init(swiftValue: value)
            return
        }
        // A collection of plain values is JSON already; a type that only Codable can write has no JSON form here.
        guard let scalar = Scalar(in: restored.typeName), let json = try? JSONValue(parsing: restored.encoded[...]),
            let value = scalar.values(in: json)
        else { return nil }
        self = value
    }
}

extension RestoredValue {
    /// The name of its type without the module and the enclosing types, as `type(of:)` prints it.
    var shortTypeName: String {
        var name = ""
        for character in typeName {
            guard character == "." else {
                name.append(character)
                continue
            }
            while let last = name.last, !"<>, ".contains(last) { name.removeLast() }
        }
        return name
    }
}

/// The kind of the plain values in a type that has a JSON form.
private enum Scalar {
    case other
    case integer
    case double
    case float

    /// The kind in the type `name`, if that is a scalar, or arrays and dictionaries of one; otherwise nil.
    init?(in name: String) {
        var name = name[...]
        while let opening = ["Swift.Array<", "Swift.Dictionary<Swift.String, "].first(where: name.hasPrefix) {
            name = name.dropFirst(opening.count).dropLast()
        }
        switch name {
        case "Swift.String", "Swift.Bool": self = .other
        case "Swift.Double": self = .double
        case "Swift.Float": self = .float
        case _ where name.hasPrefix("Swift.Int") || name.hasPrefix("Swift.UInt"): self = .integer
        default: return nil
        }
    }

    /// The JSON with numbers of the right kind: the stored text does not distinguish whole numbers from integers.
    func values(in json: JSONValue) -> JSONValue? {
        switch (json, self) {
        case (.integer(let integer), .double), (.integer(let integer), .float): return .number(Double(integer))
        case (.number(let number), .float): return .number(Double(Float(number)))
        case (.number, .integer): return nil
        case (.array(let elements), _):
            let values = elements.compactMap(values)
            return values.count == elements.count ? .array(values) : nil
        case (.object(let object), _):
            var values = JSONObject()
            for entry in object.entries {
                guard let value = self.values(in: entry.value) else { return nil }
                values[entry.key] = value
            }
            return .object(values)
        case (.null, _), (.bool, _), (.string, _), (.integer, _), (.number, _): return json
        }
    }
}

package import ForgeBusProtocol
import ForgeOrchestrator

extension JSONValue {
    /// Converts a value of a context to JSON; nil if the value's type has no JSON form.
    ///
    /// A restored value gets the same JSON as the original value.
    package init?(contextValue value: any Sendable) {
        if let number = value as? WrittenInteger {
            self = .integer(number.digits)
            return
        }
        guard let restored = value as? RestoredValue else {
            self.init(swiftValue: value)
            return
        }
        // The stored text of a scalar, or of a collection of scalars, is plain JSON. Other types have no JSON form.
        guard let scalar = Scalar(in: restored.typeName), let json = try? JSONValue(parsing: restored.encoded[...]),
            let value = scalar.values(in: json)
        else { return nil }
        self = value
    }
}

extension RestoredValue {
    /// The name of the value's type without the module and the enclosing types, as `type(of:)` prints it.
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

/// The kind of a scalar type, or of the scalars in an array or a dictionary; no other type has a JSON form.
private enum Scalar {
    case other
    case integer
    case double
    case float

    /// Finds the kind of scalar in the type `name`; nil if the type is neither a scalar nor a collection of scalars.
    ///
    /// Collections are arrays, and dictionaries with `String` keys; they may be nested.
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

    /// Gives the numbers in `json` the right kind, because the stored text may write 1.0 and 1 alike.
    ///
    /// - Returns: The converted JSON; nil if an integer type has a number with a fraction.
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

package import ForgeBusProtocol

/// The JSON Schema of a file, made from the declarations of its keys; editors and validators read it.
///
/// The schema says which keys a file may have, and the form and the words of their values. What concerns several values,
/// such as the id of an action that another one requires, only the worker checks.
package enum Schema: String, CaseIterable {
    case worker, access, fleet

    /// The schema as a JSON document, draft 2020-12.
    package var document: JSONObject {
        var definitions = Definitions()
        let root =
            switch self {
            case .worker: Shape.workerFile
            case .access: Shape.accessFile
            case .fleet: Shape.inventory
            }
        var document = definitions.object(root)
        document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        document["title"] = .string(root.owner)
        document["$defs"] = .object(definitions.all)
        return document
    }
}

/// The schemas of shapes, each under the name of its owner.
private struct Definitions {
    private(set) var all = JSONObject()

    /// A reference to the schema of a shape, which is made at the first reference.
    private mutating func reference(to shape: Shape) -> JSONObject {
        let name = shape.owner.replacing("`", with: "").replacing("'", with: "").replacing(" ", with: "-")
        if all[name] == nil {
            // First the name: a shape may contain itself.
            all[name] = true
            let kinds = ["run", "gate", "post", "request"].filter(shape.names.contains)
            var schema = object(shape)
            // An action has exactly one of the keys that say what it does; a webhook runs or notifies.
            if shape.names.contains("id"), !kinds.isEmpty {
                schema["oneOf"] = .array(kinds.map { .object(["required": [.string($0)]]) })
            }
            all[name] = .object(schema)
        }
        return ["$ref": .string("#/$defs/\(name)")]
    }

    mutating func object(_ shape: Shape) -> JSONObject {
        var properties = JSONObject()
        for key in shape.keys {
            var schema = schema(of: key.form)
            if !key.help.isEmpty { schema["description"] = .string(key.help) }
            properties[key.name] = .object(schema)
        }
        var object: JSONObject = [
            "type": "object", "properties": .object(properties), "additionalProperties": false,
        ]
        // An inventory names its workers here or in what it includes.
        let required = shape.keys.filter { $0.need != nil && $0.name != "workers" }.map { JSONValue.string($0.name) }
        if !required.isEmpty { object["required"] = .array(required) }
        return object
    }

    private mutating func schema(of form: Form) -> JSONObject {
        switch form {
        // A scalar is taken as it is written.
        case .text, .name: ["type": ["string", "number", "boolean"]]
        case .flag: ["type": "boolean"]
        case .integer(let bounds):
            [
                "type": "integer", "minimum": .integer(Int64(bounds.lowerBound)),
                "maximum": .integer(Int64(bounds.upperBound)),
            ]
        case .time:
            [
                "type": "string", "pattern": #"^([0-9]+(\.[0-9]+)?(ms|min|s|m|h|d))+$"#,
                "examples": ["500ms", "10s", "3d"],
            ]
        case .size:
            [
                "type": "string", "pattern": #"^[0-9]+(\.[0-9]+)? ?(B|KiB|MiB|GiB|TiB)$"#,
                "examples": ["64KiB", "256MiB"],
            ]
        case .choice(let words): ["enum": .array(words.map { .string($0) })]
        case .list(let element, let isEmpty):
            ["type": "array", "items": .object(schema(of: element)), "minItems": isEmpty ? 0 : 1]
        case .mapping(let shape): reference(to: shape)
        case .named(let form): ["type": "object", "additionalProperties": .object(schema(of: form))]
        case .either(let forms): ["anyOf": .array(forms.map { .object(schema(of: $0)) })]
        case .any: [:]
        }
    }
}

import ForgeBusProtocol

/// The fields of a form that a browser has posted, as `application/x-www-form-urlencoded`.
struct Form {
    private let fields: [(name: String, value: String)]

    init(_ request: APIRequest) throws(BusError) {
        guard request.mediaType == "application/x-www-form-urlencoded" else {
            throw Errors.unsupportedType(request.mediaType, expected: "application/x-www-form-urlencoded")
        }
        let text = String(decoding: request.body, as: UTF8.self)
        guard let (_, query) = RequestTarget.read("/?\(text)") else {
            throw Errors.unreadableForm
        }
        fields = query
    }

    /// The value of a field; nil if it is missing or empty.
    subscript(name: String) -> String? { fields.first { $0.name == name && !$0.value.isEmpty }?.value }

    /// The values of all fields with this name.
    func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The fields whose names begin with a prefix, without the prefix and without empty ones.
    func members(_ prefix: String) -> [(name: String, value: String)] {
        fields.filter { $0.name.hasPrefix(prefix) && !$0.value.isEmpty }
            .map { (String($0.name.dropFirst(prefix.count)), $0.value) }
    }

    /// The id of the request that the form makes; the gateway chose it when it made the page.
    ///
    /// So a form that is posted twice has one effect. A form without an id gets a random one.
    func requestID() throws(BusError) -> RequestID {
        try self["key"].map { text throws(BusError) in try RequestID(text) } ?? .random()
    }
}

extension JSONValue {
    /// The value that a text in a form means, for a seed or value of this type.
    ///
    /// A text that does not have the type stays a string; the worker then says what is wrong.
    init(text: String, type: String) {
        self =
            switch type {
            case "string": .string(text)
            case "boolean" where ["true", "yes", "on", "1"].contains(text.lowercased()): .bool(true)
            case "boolean" where ["false", "no", "off", "0"].contains(text.lowercased()): .bool(false)
            default: (try? JSONValue(parsing: Array(text.utf8)[...])) ?? .string(text)
            }
    }
}

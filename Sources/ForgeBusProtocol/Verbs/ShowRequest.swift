/// A request for one item of the worker.
public struct ShowRequest: Hashable, Sendable {
    /// The item's kind.
    public var kind: ItemKind
    /// The item's name.
    public var name: Name
    /// The action whose output is requested, only for ``ItemKind/output``; nil requests the output of all actions.
    public var action: String?

    /// Makes a request for the item of `kind` with the name `name`.
    public init(_ kind: ItemKind, _ name: Name, action: String? = nil) {
        self.kind = kind
        self.name = name
        self.action = action
    }
}

extension ShowRequest {
    /// A request for the worker itself.
    public static let worker = ShowRequest(.worker, Name(unchecked: ItemKind.worker.rawValue))
}

extension ShowRequest: Verb {
    package static let words = ["SHOW"]
    package static let attributes = ["action"]
    package static let right: Right? = .read
    package static let isLedgered = false

    package init(_ subject: ShowRequest, _ attributes: AttributeReader, _ body: BodyReader) throws(BusError) {
        self = subject
        action = try attributes.text("action", atMost: Name.maximumSizeInBytes)
        guard action == nil || kind == .output else {
            throw Errors.unneededAction(kind)
        }
    }

    package var command: Request.Command { .show(self) }
    package var subject: ShowRequest { self }
    package func write(to attributes: inout JSONObject) { attributes["action"] = action.map { .string($0) } }

    package var target: String? {
        switch kind {
        case .signal, .monitor, .pipeline: "\(kind.rawValue).\(name)"
        case .worker: "worker"
        case .run, .history, .output: nil
        }
    }
}

/// The subject contains the kind and the name: `run/feed-7`.
extension ShowRequest: RequestSubject {
    package init(bytes: ArraySlice<UInt8>) throws(BusError) {
        if bytes.elementsEqual(ItemKind.worker.rawValue.utf8) {
            self = .worker
            return
        }
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        let word = String(decoding: bytes[..<slash], as: UTF8.self)
        guard let kind = ItemKind(rawValue: word), kind != .worker else {
            throw Errors.unknownKind(
                word == ItemKind.worker.rawValue ? String(decoding: bytes, as: UTF8.self) : word,
                next: "Send `worker` alone, or a kind and a name as KIND/NAME; the kinds are",
                ItemKind.allCases.filter { $0 != .worker }
            )
        }
        let name = bytes[slash...].dropFirst()
        guard !name.isEmpty else { throw Errors.noName(of: word) }
        self.init(kind, try Name(bytes: name))
    }

    package var text: String { kind == .worker ? kind.rawValue : "\(kind.rawValue)/\(name)" }
}

/// The kinds of items that SHOW returns.
public enum ItemKind: String, CaseIterable, Hashable, Sendable {
    /// A run that the worker keeps.
    case run
    /// A signal or gate that waits, that the worker keeps after its end, or that has only early decisions so far.
    case signal
    /// A monitor.
    case monitor
    /// A pipeline.
    case pipeline
    /// The history of a run, signal or monitor, as far as the journal goes back.
    case history
    /// What the actions of a run printed: the end of the output of each attempt.
    case output
    /// The worker itself; a request for it has no name.
    case worker
}

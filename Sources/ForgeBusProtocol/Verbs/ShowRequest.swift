/// One thing the worker holds is to be shown.
public struct ShowRequest: Hashable, Sendable {
    /// What it is.
    public var kind: ItemKind
    /// What it is called.
    public var name: Name

    /// The `kind` called `name`.
    public init(_ kind: ItemKind, _ name: Name) {
        self.kind = kind
        self.name = name
    }
}

extension ShowRequest: Verb {
    package static let words = ["SHOW"]
    package static let attributes: [String] = []
    package static let right: Right? = .read
    package static let isLedgered = false

    package init(_ subject: ShowRequest, _ attributes: AttributeReader, _ body: BodyReader) { self = subject }

    package var command: Request.Command { .show(self) }
    package var subject: ShowRequest { self }

    package var target: String? {
        switch kind {
        case .signal, .monitor, .pipeline: "\(kind.rawValue).\(name)"
        case .run, .history: nil
        }
    }
}

/// The subject is all that is asked: `run/feed-7`.
extension ShowRequest: RequestSubject {
    package init(bytes: ArraySlice<UInt8>) throws(BusError) {
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        let word = String(decoding: bytes[..<slash], as: UTF8.self)
        guard let kind = ItemKind(rawValue: word) else {
            throw .unknownKind(word, next: "Show a name after a slash and one of", ItemKind.self)
        }
        self.init(kind, try Name(bytes: bytes[slash...].dropFirst()))
    }

    package var text: String { "\(kind.rawValue)/\(name)" }
}

/// What SHOW can show.
public enum ItemKind: String, CaseIterable, Hashable, Sendable {
    /// A run that is kept.
    case run
    /// A signal or gate that waits, or whose decision is kept.
    case signal
    /// A monitor.
    case monitor
    /// A pipeline.
    case pipeline
    /// What happened to a run, signal or monitor, as far as the journal goes back.
    case history
}

/// A pipeline or a monitor that can be paused; its text is `pipeline/NAME` or `monitor/NAME`.
public struct PauseSubject: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of subjects that can be paused.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// A pipeline: while it is paused, its runs get no slot.
        case pipeline
        /// A monitor: while it is paused, it begins no cycle.
        case monitor
    }

    /// Whether the subject is a pipeline or a monitor.
    public var kind: Kind
    /// The name of the pipeline or monitor.
    public var name: Name

    /// Makes the subject of this kind and name.
    public init(_ kind: Kind, _ name: Name) {
        self.kind = kind
        self.name = name
    }

    /// The subject as the target of a grant, such as `pipeline.feed`.
    package var target: String { "\(kind.rawValue).\(name)" }

    /// The kind and the name, such as `pipeline/feed`.
    public var description: String { "\(kind.rawValue)/\(name)" }
}

extension PauseSubject: RequestSubject {
    package init(bytes: ArraySlice<UInt8>) throws(BusError) {
        let slash = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
        let word = String(decoding: bytes[..<slash], as: UTF8.self)
        guard let kind = Kind(rawValue: word) else {
            let next = "Send KIND/NAME, such as pipeline/deploy; the kinds that can be paused are"
            throw Errors.unknownKind(word, next: next, Kind.allCases)
        }
        let name = bytes[slash...].dropFirst()
        guard !name.isEmpty else { throw Errors.noName(of: word) }
        self.init(kind, try Name(bytes: name))
    }

    package var text: String { description }
}

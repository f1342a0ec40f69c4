/// Requests that change nothing, and those of operators.
extension Request {
    static func attach(_ frames: Frames) throws(BusError) -> (Command, AttributeReader) {
        let run = try RunID(bytes: frames.subject)
        let attributes = try AttributeReader(frames.attributes, of: .attach)
        let request = AttachRequest(
            run: run,
            patience: try attributes.duration("wait_ms", atLeast: 0),
            wantsProgress: try attributes.flag("progress")
        )
        return (.attach(request), attributes)
    }

    static func show(_ frames: Frames) throws(BusError) -> (Command, AttributeReader) {
        let slash = frames.subject.firstIndex(of: UInt8(ascii: "/")) ?? frames.subject.endIndex
        let word = String(decoding: frames.subject[..<slash], as: UTF8.self)
        guard let kind = ItemKind(rawValue: word) else {
            throw unknownKind(word, next: "Show a name after a slash and one of", ItemKind.self)
        }
        let name = try Name(bytes: frames.subject[slash...].dropFirst())
        let attributes = try AttributeReader(frames.attributes, of: .show)
        return (.show(ShowRequest(kind, name)), attributes)
    }

    static func list(_ frames: Frames) throws(BusError) -> (Command, AttributeReader) {
        let subject = String(decoding: frames.subject, as: UTF8.self)
        guard let kind = ListKind(rawValue: subject) else {
            throw unknownKind(subject, next: "List one of", ListKind.self)
        }
        let attributes = try AttributeReader(frames.attributes, of: .list)
        let limit = try attributes.integer("limit", in: 1...Int64(WireLimits.pageSize))
        let cursor = try attributes.text("cursor", atMost: Name.maximumSizeInBytes)
        return (.list(ListRequest(kind: kind, limit: limit ?? 100, cursor: cursor)), attributes)
    }

    static func watch(_ frames: Frames) throws(BusError) -> (Command, AttributeReader) {
        let pattern = try NamePattern(bytes: frames.subject)
        let attributes = try AttributeReader(frames.attributes, of: .watch)
        let credit = try attributes.integer("credit", in: 1...Int64(WireLimits.credit))
        return (.watch(WatchRequest(pattern, credit: try attributes.required("credit", credit))), attributes)
    }

    private static func unknownKind<Kind: RawRepresentable & CaseIterable>(
        _ word: String,
        next: String,
        _ kinds: Kind.Type
    ) -> BusError where Kind.RawValue == String {
        let known = kinds.allCases.map(\.rawValue).joined(separator: ", ")
        return BusError(.unknownKind, "There is no kind \(Printable.quoted(word)).", next: "\(next) \(known).")
    }
}

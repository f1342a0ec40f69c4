public import ForgeBusProtocol

/// Records as bytes, for stores that keep bytes: the number of a form, then the record in that form, without its key.
///
/// It writes the newest form, and reads every form that a release wrote.
extension StoreRecord {
    /// The record without its key, in the newest form.
    public var encoded: [UInt8] {
        var writer = RecordWriter([V1.number])
        writer.put(self)
        return writer.bytes
    }

    /// Reads what ``encoded`` gave for the record under `key`, in this release or an earlier one.
    ///
    /// - Throws: ``StoreError`` with code `unsound` for a form that only a newer program knows, and for other bytes.
    public init(encoded bytes: [UInt8], under key: StoreKey) throws(StoreError) {
        switch bytes.first {
        case V1.number: try self.init(form1: bytes.dropFirst(), under: key)
        case .some(let form) where form > V1.number: throw Self.newer(form, key)
        case .some, nil: throw Self.unreadable(key)
        }
    }

    /// Reads a record of the first releases, which wrote form 1 without its number.
    ///
    /// - Throws: ``StoreError`` with code `unsound` for other bytes.
    package init(unnumbered bytes: [UInt8], under key: StoreKey) throws(StoreError) {
        try self.init(form1: bytes[...], under: key)
    }

    private init(form1 bytes: ArraySlice<UInt8>, under key: StoreKey) throws(StoreError) {
        var reader = RecordReader(bytes)
        do {
            self = try V1.record(under: key, &reader)
            try reader.end()
        } catch {
            throw Self.unreadable(key)
        }
    }

    private static func newer(_ form: UInt8, _ key: StoreKey) -> StoreError {
        StoreError(
            .unsound,
            "The \(key.kind) under \(Printable.quoted(key.text)) has form \(form), and this program knows \(V1.number) at most.",
            next: "Start a program at least as new as the one that had the store last."
        )
    }

    private static func unreadable(_ key: StoreKey) -> StoreError {
        StoreError(
            .unsound,
            "The \(key.kind) under \(Printable.quoted(key.text)) cannot be read.",
            next: "Put the store aside, and start from the latest backup."
        )
    }
}

extension JournalEntry {
    /// The entry's details as bytes, for stores that have columns for the rest of it.
    ///
    /// They are one JSON object, and have no forms.
    public var encodedDetails: [UInt8] {
        var writer = RecordWriter()
        writer.put(details)
        return writer.bytes
    }

    /// Reads what ``encodedDetails`` gave; nil for other bytes.
    public static func details(encoded bytes: [UInt8]) -> JSONObject? {
        var reader = RecordReader(bytes[...])
        guard let details = try? reader.object(), (try? reader.end()) != nil else { return nil }
        return details
    }
}

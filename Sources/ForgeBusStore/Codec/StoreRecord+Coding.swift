public import ForgeBusProtocol

/// Records as bytes, for stores that keep bytes.
///
/// A form that was shipped never changes: a store keeps beside them which one it has.
extension StoreRecord {
    /// The record without its key.
    public var encoded: [UInt8] {
        var writer = RecordWriter()
        switch self {
        case .request(let record): writer.put(record)
        case .run(let record): writer.put(record)
        case .progress(let record): writer.put(record)
        case .signal(let record): writer.put(record)
        case .debt(let record): writer.put(record)
        case .mode(let record): writer.put(record)
        }
        return writer.bytes
    }

    /// Reads what ``encoded`` gave for the record under `key`.
    ///
    /// - Throws: ``StoreError`` with code `unsound` for anything else.
    public init(encoded bytes: [UInt8], under key: StoreKey) throws(StoreError) {
        var reader = RecordReader(bytes)
        do {
            switch key {
            case .request(let key): self = .request(try reader.request(key))
            case .run(let run): self = .run(try reader.run(run))
            case .progress(let run): self = .progress(try reader.progress(run))
            case .signal(let signal): self = .signal(try reader.signal(signal))
            case .debt(let monitor): self = .debt(try reader.debt(monitor))
            case .mode(let monitor): self = .mode(try reader.mode(monitor))
            }
            try reader.end()
        } catch {
            throw StoreError(
                .unsound,
                "The \(key.kind) under \(Printable.quoted(key.text)) cannot be read.",
                next: "Put the store aside, and start from the latest backup."
            )
        }
    }
}

extension JournalEntry {
    /// The entry's details as bytes; the rest of it stands in columns of its own.
    public var encodedDetails: [UInt8] {
        var writer = RecordWriter()
        writer.put(details)
        return writer.bytes
    }

    /// Reads what ``encodedDetails`` gave; nil for anything else.
    public static func details(encoded bytes: [UInt8]) -> JSONObject? {
        var reader = RecordReader(bytes)
        guard let details = try? reader.object(), (try? reader.end()) != nil else { return nil }
        return details
    }
}

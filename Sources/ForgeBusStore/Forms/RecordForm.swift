public import ForgeBusProtocol

/// Encodes a record as bytes: first the number of a form, then the record in that form, without its key.
///
/// A form is a binary layout. The encoder writes the newest form; the decoder reads every form that a release has
/// written.
extension StoreRecord {
    /// The record as bytes in the newest form, without its key.
    public var encoded: [UInt8] {
        var writer = RecordWriter([V4.number])
        writer.put(self)
        return writer.bytes
    }

    /// Decodes bytes that ``encoded`` produced for the record under `key`, in this release or an earlier one.
    ///
    /// - Throws: ``StoreError`` with code `unsound` if the form is newer than this program, or if the bytes cannot be
    ///   decoded.
    public init(encoded bytes: [UInt8], under key: StoreKey) throws(StoreError) {
        switch bytes.first {
        case V1.number: try self.init(bytes.dropFirst(), under: key, V1.record)
        case V2.number: try self.init(bytes.dropFirst(), under: key, V2.record)
        case V3.number: try self.init(bytes.dropFirst(), under: key, V3.record)
        case V4.number: try self.init(bytes.dropFirst(), under: key, V4.record)
        case .some(let form) where form > V4.number: throw Self.newer(form, key)
        case .some, nil: throw Self.unreadable(key)
        }
    }

    /// Decodes a record of the first releases, which wrote form 1 without its number.
    ///
    /// - Throws: ``StoreError`` with code `unsound` if the bytes cannot be decoded.
    package init(unnumbered bytes: [UInt8], under key: StoreKey) throws(StoreError) {
        try self.init(bytes[...], under: key, V1.record)
    }

    private init(
        _ bytes: ArraySlice<UInt8>,
        under key: StoreKey,
        _ record: (StoreKey, inout RecordReader) throws(RecordReader.Flaw) -> StoreRecord
    ) throws(StoreError) {
        var reader = RecordReader(bytes)
        do {
            self = try record(key, &reader)
            try reader.end()
        } catch {
            throw Self.unreadable(key)
        }
    }

    private static func newer(_ form: UInt8, _ key: StoreKey) -> StoreError {
        StoreError(
            .unsound,
            "The record of the \(key.subject) has format version \(form); this program reads versions up to \(V4.number).",
            next: "Use a version of the program at least as new as the one that last wrote to this store."
        )
    }

    private static func unreadable(_ key: StoreKey) -> StoreError {
        StoreError(
            .unsound,
            "The record of the \(key.subject) is damaged: its bytes cannot be decoded.",
            next: "Restore the store from the latest backup."
        )
    }
}

extension StoreKey {
    /// What a record under this key is about, as a part of a message.
    fileprivate var subject: String {
        switch self {
        case .request(let key): "request \(Printable.quoted(key.id.text)) of \(Printable.quoted(key.principal))"
        case .run(let run): "run \(Printable.quoted(run.text))"
        case .progress(let run): "progress of the run \(Printable.quoted(run.text))"
        case .signal(let signal): "signal \(Printable.quoted(signal.text))"
        case .debt(let monitor): "notifications for the monitor \(Printable.quoted(monitor.text))"
        case .mode(let monitor): "screen of the monitor \(Printable.quoted(monitor.text))"
        case .owed(let run): "requested run \(Printable.quoted(run.text))"
        case .trouble(let monitor): "failures of the monitor \(Printable.quoted(monitor.text))"
        case .pipelinePause(let pipeline): "pause of the pipeline \(Printable.quoted(pipeline.text))"
        case .monitorPause(let monitor): "pause of the monitor \(Printable.quoted(monitor.text))"
        }
    }
}

extension JournalEntry {
    /// The entry's ``details`` as bytes, for a store that keeps the other properties in columns.
    ///
    /// The bytes encode one JSON object. They have no form number, because this encoding never changes.
    public var encodedDetails: [UInt8] {
        var writer = RecordWriter()
        writer.put(details)
        return writer.bytes
    }

    /// Decodes bytes that ``encodedDetails`` produced; nil if they cannot be decoded.
    public static func details(encoded bytes: [UInt8]) -> JSONObject? {
        var reader = RecordReader(bytes[...])
        guard let details = try? reader.object(), (try? reader.end()) != nil else { return nil }
        return details
    }
}

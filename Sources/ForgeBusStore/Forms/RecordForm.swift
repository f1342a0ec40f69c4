public import ForgeBusProtocol

/// Encodes a record as bytes: first the number of a form, then the record in that form, without its key.
///
/// A form is a binary layout. A later form gets another number, so that a program refuses a record that it cannot read.
extension StoreRecord {
    /// The number of the form that this program writes and reads.
    static let form: UInt8 = 1

    /// The record as bytes, without its key.
    public var encoded: [UInt8] {
        var writer = RecordWriter([Self.form])
        writer.put(self)
        return writer.bytes
    }

    /// Decodes bytes that ``encoded`` produced for the record under `key`.
    ///
    /// - Throws: ``StoreError`` with code `unsound` if the bytes have another form, or if they cannot be decoded.
    public init(encoded bytes: [UInt8], under key: StoreKey) throws(StoreError) {
        guard let form = bytes.first, form > 0 else { throw Self.unreadable(key) }
        guard form == Self.form else { throw Self.newer(form, key) }
        var reader = RecordReader(bytes.dropFirst())
        do {
            self = try reader.record(under: key)
            try reader.end()
        } catch {
            throw Self.unreadable(key)
        }
    }

    private static func newer(_ form: UInt8, _ key: StoreKey) -> StoreError {
        StoreError(
            .unsound,
            "The record of the \(key.subject) has format version \(form); this program reads version \(Self.form).",
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
        case .texts(let run): "texts of the run \(Printable.quoted(run.text))"
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

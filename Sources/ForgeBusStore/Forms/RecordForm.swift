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
        guard let form = bytes.first, form > 0 else { throw Errors.unreadable(key) }
        guard form == Self.form else { throw Errors.newer(key, form: form) }
        var reader = RecordReader(bytes.dropFirst())
        do {
            self = try reader.record(under: key)
            try reader.end()
        } catch {
            throw Errors.unreadable(key)
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

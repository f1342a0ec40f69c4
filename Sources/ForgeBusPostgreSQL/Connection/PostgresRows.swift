#if PostgreSQL
import CPostgreSQL

/// The rows that a statement returned, in PostgreSQL's binary format.
final class PostgresRows {
    private let result: OpaquePointer

    /// Takes ownership of a result of libpq; `deinit` frees the result.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    /// The number of rows.
    var count: Int { Int(PQntuples(result)) }

    /// Whether a value is NULL.
    func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, CInt(row), CInt(column)) == 1 }

    /// An integer of 16, 32 or 64 bits; 0 for NULL.
    func integer(_ row: Int, _ column: Int) -> Int64 {
        withBytes(row, column) { bytes in
            switch bytes.count {
            case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
            case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
            case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
            default: 0
            }
        }
    }

    /// The bytes of a value; empty for NULL.
    func bytes(_ row: Int, _ column: Int) -> [UInt8] { withBytes(row, column) { Array($0) } }

    /// A text; nil for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        isNull(row, column) ? nil : withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
    }

    private func withBytes<T>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> T) -> T {
        let size = Int(PQgetlength(result, CInt(row), CInt(column)))
        return body(UnsafeRawBufferPointer(start: PQgetvalue(result, CInt(row), CInt(column)), count: size))
    }
}
#endif

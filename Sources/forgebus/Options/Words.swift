import ArgumentParser
import ForgeBusFleet
import ForgeBusProtocol
import Foundation

/// Parses words of the command line; an invalid word gets an error with the reason.
enum Words {
    static func name(_ word: String) throws -> Name { try told { () throws(BusError) in try Name(word) } }

    static func pattern(_ word: String) throws -> NamePattern {
        try told { () throws(BusError) in try NamePattern(word) }
    }

    static func requestID(_ word: String) throws -> RequestID {
        try told { () throws(BusError) in try RequestID(word) }
    }

    static func selection(_ word: String) throws -> Selection {
        try told { () throws(BusError) in try Selection(parsing: word) }
    }

    static func json(_ word: String) throws -> JSONValue {
        try told { () throws(BusError) in try JSONValue(parsing: Array(word.utf8)[...]) }
    }

    /// Reads a point in time, written as milliseconds since 1970 or in ISO 8601 with a time zone.
    ///
    /// - Returns: The milliseconds since 1970 (UTC).
    /// - Throws: A `ValidationError` for any other word.
    static func time(_ word: String) throws -> Int64 {
        if let milliseconds = Int64(word), milliseconds >= 0 { return milliseconds }
        for style in [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)] {
            if let date = try? style.parse(word) { return Int64((date.timeIntervalSince1970 * 1000).rounded()) }
        }
        throw Errors.noPointInTime
    }

    private static func told<Value>(_ read: () throws(BusError) -> Value) throws -> Value {
        do throws(BusError) { return try read() } catch { throw ValidationError("\(error.message) \(error.next)") }
    }
}

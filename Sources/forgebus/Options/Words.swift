import ArgumentParser
import ForgeBusProtocol

/// Parses words of the command line; an invalid word gets an error with the reason.
enum Words {
    static func name(_ word: String) throws -> Name { try told { () throws(BusError) in try Name(word) } }

    static func pattern(_ word: String) throws -> NamePattern {
        try told { () throws(BusError) in try NamePattern(word) }
    }

    static func requestID(_ word: String) throws -> RequestID {
        try told { () throws(BusError) in try RequestID(word) }
    }

    static func json(_ word: String) throws -> JSONValue {
        try told { () throws(BusError) in try JSONValue(parsing: Array(word.utf8)[...]) }
    }

    private static func told<Value>(_ read: () throws(BusError) -> Value) throws -> Value {
        do throws(BusError) { return try read() } catch { throw ValidationError("\(error.message) \(error.next)") }
    }
}

/// Something is otherwise than a test expected; the text begins with the line of the test that says so.
///
/// An error, so that it fails a test of any framework that stops at a thrown error. A test that is to go on records it:
/// `Issue.record(failure, sourceLocation: …)` with ``fileID``, ``filePath``, ``line`` and ``column``.
public struct ExpectationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was expected, and what is.
    public let message: String
    /// The test's file, as `Module/File.swift`.
    public let fileID: String
    /// The test's file.
    public let filePath: String
    /// The line of the expectation.
    public let line: Int
    /// Its column.
    public let column: Int

    /// The line of the test, then what was expected and what is.
    public var description: String { "\(fileID):\(line): \(message)" }
}

/// A place in a test.
struct Place {
    let fileID: String
    let filePath: String
    let line: Int
    let column: Int

    func failure(_ message: String) -> ExpectationFailure {
        ExpectationFailure(message: message, fileID: fileID, filePath: filePath, line: line, column: column)
    }
}

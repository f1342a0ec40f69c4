/// The error of an expectation that was not met; its description begins with the expectation's file and line.
///
/// A thrown error fails a test in any test framework. To record the failure and continue the test, call
/// `Issue.record(failure, sourceLocation: …)` with ``fileID``, ``filePath``, ``line`` and ``column``.
public struct ExpectationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The expected and the actual state, in words.
    public let message: String
    /// The file of the expectation, as `Module/File.swift`.
    public let fileID: String
    /// The full path of the expectation's file.
    public let filePath: String
    /// The line of the expectation.
    public let line: Int
    /// The column of the expectation.
    public let column: Int

    /// The file and line of the expectation, then the expected and the actual state.
    public var description: String { "\(fileID):\(line): \(message)" }
}

/// The source location of an expectation in a test.
struct Place {
    let fileID: String
    let filePath: String
    let line: Int
    let column: Int

    func failure(_ message: String) -> ExpectationFailure {
        ExpectationFailure(message: message, fileID: fileID, filePath: filePath, line: line, column: column)
    }
}

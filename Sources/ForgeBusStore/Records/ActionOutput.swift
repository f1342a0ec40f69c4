public import ForgeBusProtocol

/// What one attempt at an action printed: the last part of its standard output and of its standard error.
public struct ActionOutput: Hashable, Sendable {
    /// The id of the action's run.
    public var run: Name
    /// The id of the action.
    public var action: String
    /// The number of the attempt, from 1.
    public var attempt: Int
    /// When the attempt ended, in milliseconds since 1970 by the worker's clock.
    public var unixMilliseconds: Int64
    /// Why the attempt failed; nil if it did not fail.
    public var failure: String?
    /// What the attempt printed last to its standard output.
    public var output: PrintedText
    /// What the attempt printed last to its standard error.
    public var errors: PrintedText

    /// Creates the output of an attempt.
    public init(
        of action: String,
        in run: Name,
        attempt: Int,
        at unixMilliseconds: Int64,
        failure: String? = nil,
        output: PrintedText,
        errors: PrintedText
    ) {
        self.run = run
        self.action = action
        self.attempt = attempt
        self.unixMilliseconds = unixMilliseconds
        self.failure = failure
        self.output = output
        self.errors = errors
    }
}

extension ActionOutput {
    /// The approximate number of bytes that a store needs for this output.
    package var footprint: Int {
        256 + action.utf8.count + (failure?.utf8.count ?? 0) + output.text.utf8.count + errors.text.utf8.count
    }
}

/// A context value that actions read as a `Double`, although its JSON form is an integer.
///
/// When the value is encoded as JSON again, it has the same digits. A `Double` keeps only 15 of up to 19 digits, and
/// would be encoded with a fraction.
package struct WrittenInteger: Sendable {
    /// The integer as it was written.
    package let digits: Int64

    /// Keeps an integer as it was written.
    package init(_ digits: Int64) { self.digits = digits }

    /// The number that actions read.
    var value: Double { Double(digits) }
}

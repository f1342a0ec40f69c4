/// A context value that actions read as a `Double`, although its JSON form is an integer.
///
/// The value is written again with the same digits. A `Double` would keep only 15 of up to 19 digits, and would be
/// written with a fraction.
package struct WrittenInteger: Sendable {
    /// The integer as it was written.
    package let digits: Int64

    /// Keeps an integer as it was written.
    package init(_ digits: Int64) { self.digits = digits }

    /// The number that actions read.
    var value: Double { Double(digits) }
}

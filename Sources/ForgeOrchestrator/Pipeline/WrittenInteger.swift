/// A value of a context that reads as a `Double`, and was written as an integer: it is written with the same digits again.
///
/// A double has room for 15 of the up to 19 digits, and is written with a fraction.
package struct WrittenInteger: Sendable {
    /// What was written.
    package let digits: Int64

    /// A number that was written so.
    package init(_ digits: Int64) { self.digits = digits }

    /// What actions read.
    var value: Double { Double(digits) }
}

/// A context value that actions read as a `Double`, but that was written as an integer in JSON.
///
/// It is written again with the same digits: a `Double` would keep only 15 of up to 19 digits and add a fraction.
package struct WrittenInteger: Sendable {
    /// The integer as it was written.
    package let digits: Int64

    /// Keeps an integer as it was written.
    package init(_ digits: Int64) { self.digits = digits }

    /// The number that actions read.
    var value: Double { Double(digits) }
}

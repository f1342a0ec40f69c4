/// A size in bytes as people write it: a number with a unit, such as `64KiB`, `256MiB` or `1.5GiB`.
package enum SizeText {
    private static let units: [(name: String, size: Int)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    /// The size that a text means, in bytes; nil for any other text, and so for a number without a unit.
    package static func size(_ text: String) -> Int? {
        guard let match = text.wholeMatch(of: #/([0-9]+(?:\.[0-9]+)?) ?(TiB|GiB|MiB|KiB|B)/#),
            let unit = units.first(where: { $0.name == match.output.2 }), let number = Double(match.output.1)
        else { return nil }
        return Int(exactly: (number * Double(unit.size)).rounded())
    }

    /// The size in the largest unit that gives a whole number.
    package static func text(of size: Int) -> String {
        guard size > 0, let unit = units.first(where: { size.isMultiple(of: $0.size) }) else { return "\(size)B" }
        return "\(size / unit.size)\(unit.name)"
    }
}

extension Entry {
    /// The value as a size with its unit, within bounds, in bytes.
    func size(_ bounds: ClosedRange<Int>) -> Int? {
        let (least, most) = (SizeText.text(of: bounds.lowerBound), SizeText.text(of: bounds.upperBound))
        let expected = "a size with its unit from \(least) to \(most)"
        guard let text = text(expected, next: Errors.sizeWithUnit) else { return nil }
        guard let size = SizeText.size(text) else {
            let isNumber = text.wholeMatch(of: #/[0-9]+/#) != nil
            note(isNumber ? Errors.sizeWithoutUnit(text) : Errors.notSize(text, expected))
            return nil
        }
        guard bounds.contains(size) else {
            note(Errors.outOfBounds(text, expected: expected))
            return nil
        }
        return size
    }
}

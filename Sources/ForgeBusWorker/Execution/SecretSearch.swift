/// Finds secrets in a text: as they are, and in every spelling of JSON.
///
/// JSON writes each character as itself or as an escape (`\n`, `\/`, `\u00e9`, `\uD83D\uDE00`), and encoders differ in
/// which they choose. A JSON text can also be a string of another JSON text, which escapes the escapes. So the search
/// compares each place of the text with the secrets while it unescapes the text from there on: not at all, once, and up
/// to ``deepest`` times.
///
/// The time is proportional to the length of the text: a long secret is searched for in pieces of ``longestPiece``
/// units, which also finds a part of it.
struct SecretSearch: Sendable {
    /// How often JSON texts can be strings of one another.
    private static let deepest = 3
    /// The maximum length of a piece, in UTF-16 code units.
    private static let longestPiece = 256
    /// The length of the longest escape at the greatest depth: four backslashes, `u` and four digits.
    private static let longestEscape = 9

    private let pieces: [[UInt16]]
    /// The indices of the pieces, by the first unit of a text that has them.
    private let beginnings: [UInt16: [Int]]

    init(_ secrets: Set<String>) {
        pieces = Set(secrets.flatMap { Self.pieces(of: Array($0.utf16)) }).sorted { $0.count > $1.count }
        var beginnings: [UInt16: [Int]] = [:]
        for (index, piece) in pieces.enumerated() {
            beginnings[piece[0], default: []].append(index)
            if piece[0].isControl { beginnings[.space, default: []].append(index) }
        }
        self.beginnings = beginnings
    }

    /// The pieces of a secret; the last one overlaps its predecessor, because a short piece could occur by chance.
    private static func pieces(of secret: [UInt16]) -> [[UInt16]] {
        guard secret.count > longestPiece else { return [secret] }
        let starts = stride(from: 0, to: secret.count - longestPiece, by: longestPiece)
        return starts.map { Array(secret[$0..<$0 + longestPiece]) } + [secret.suffix(longestPiece)]
    }

    /// The places of the secrets, in UTF-16 code units and in ascending order; they neither overlap nor touch.
    ///
    /// With `mayBeCut`, the places include the beginning of a secret at the end of the text, and the end of a secret at
    /// the beginning of the text, from ``Seed/secretLength`` units on.
    func ranges(in text: String, mayBeCut: Bool = true) -> [Range<Int>] {
        if text.utf8.count < Seed.secretLength { return [] }
        return Array(text.utf16).withUnsafeBufferPointer { ranges(in: $0, mayBeCut) }
    }

    private func ranges(in units: UnsafeBufferPointer<UInt16>, _ mayBeCut: Bool) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        if mayBeCut, let end = endOfRest(units) { ranges.append(0..<end) }
        for start in units.indices where units[start] == .backslash || beginnings[units[start]] != nil {
            guard let end = end(in: units, from: start, mayBeCut) else { continue }
            if let last = ranges.last, last.upperBound >= start {
                ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, end)
            } else {
                ranges.append(start..<end)
            }
        }
        return ranges
    }

    /// Where the secret ends that begins at `start`; nil if none does.
    private func end(in units: UnsafeBufferPointer<UInt16>, from start: Int, _ mayBeCut: Bool) -> Int? {
        var longest: Int?
        for depth in 0...Self.deepest {
            var reader = UnescapedReader(units, from: start, depth: depth)
            var hasEscapes = reader.isAtBackslash
            if let unit = reader.next() {
                for index in beginnings[unit] ?? [] {
                    var reader = reader
                    let end = reader.end(of: pieces[index][...], from: 1, mayBeCut)
                    longest = [longest, end].compactMap(\.self).max()
                    hasEscapes = hasEscapes || reader.hasEscapes
                }
            }
            // Without a backslash, the text is the same at each depth.
            if !hasEscapes { break }
        }
        return longest
    }

    /// Where the rest of a secret ends with which the text begins, because its beginning was cut; nil if there is none.
    private func endOfRest(_ units: UnsafeBufferPointer<UInt16>) -> Int? {
        var longest: Int?
        for start in 0..<min(Self.longestEscape, units.count) {
            let head = units[..<start]
            if start > 0, !head.allSatisfy(\.isPartOfEscape) { break }
            for piece in pieces where piece.count > Seed.secretLength {
                for index in 1...piece.count - Seed.secretLength {
                    let isPossible = units[start] == .backslash || piece[index].isSpelled(units[start])
                    guard isPossible, start == 0 || piece[index - 1].hasEscape(endingIn: head) else { continue }
                    for depth in 0...Self.deepest {
                        var reader = UnescapedReader(units, from: start, depth: depth)
                        if let end = reader.end(of: piece[index...], from: 0, false) {
                            longest = max(longest ?? 0, end)
                        }
                        if !reader.hasEscapes { break }
                    }
                }
            }
        }
        return longest
    }
}

/// Reads a text from one place on, unescaped `depth` times.
private struct UnescapedReader {
    private let units: UnsafeBufferPointer<UInt16>
    private let depth: Int
    private var place: Int
    /// Whether the text ended before the next unit was complete.
    private var isOver = false
    /// Whether a backslash was read.
    private(set) var hasEscapes = false

    init(_ units: UnsafeBufferPointer<UInt16>, from place: Int, depth: Int) {
        self.units = units
        self.place = place
        self.depth = depth
    }

    var isAtBackslash: Bool { place < units.count && units[place] == .backslash }

    /// The next unit; nil at the end of the text, and at a backslash with which no escape begins.
    mutating func next() -> UInt16? { next(depth) }

    /// Where the piece ends, of which the reader has read `count` units; nil if the text is another one.
    ///
    /// With `mayBeCut`, also the end of the text, if it comes after at least ``Seed/secretLength`` units.
    mutating func end(of piece: ArraySlice<UInt16>, from count: Int, _ mayBeCut: Bool) -> Int? {
        for index in piece.indices.dropFirst(count) {
            guard let unit = next() else {
                return mayBeCut && isOver && index - piece.startIndex >= Seed.secretLength ? units.count : nil
            }
            if !piece[index].isSpelled(unit) { return nil }
        }
        return place
    }

    private mutating func next(_ depth: Int) -> UInt16? {
        guard place < units.count else {
            isOver = true
            return nil
        }
        let unit = units[place]
        if unit != .backslash || depth == 0 {
            place += 1
            hasEscapes = hasEscapes || unit == .backslash
            return unit
        }
        // An escape that stands for another unit than a backslash begins no escape of the next depth.
        let first = next(depth - 1)
        guard first == .backslash, let letter = next(depth - 1) else { return first == .backslash ? nil : first }
        if letter != .u { return letter.unescaped }
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = next(depth - 1)?.hexDigit else { return nil }
            value = value << 4 | digit
        }
        return value
    }
}

extension UInt16 {
    fileprivate static let backslash = UInt16(UInt8(ascii: "\\"))
    fileprivate static let space = UInt16(UInt8(ascii: " "))
    fileprivate static let u = UInt16(UInt8(ascii: "u"))

    fileprivate var isControl: Bool { self < 0x20 || (0x7F...0x9F).contains(self) }

    /// Whether a text can have `unit` in place of this unit of a secret, besides escapes.
    ///
    /// The line of a failure has a space in place of each control character.
    fileprivate func isSpelled(_ unit: UInt16) -> Bool { unit == self || (unit == .space && isControl) }

    private var character: Unicode.Scalar { Unicode.Scalar(self) ?? "\u{FFFD}" }

    /// What a backslash and this letter stand for in JSON; nil if nothing.
    fileprivate var unescaped: UInt16? {
        switch character {
        case "\"", "\\", "/": self
        case "b": 0x08
        case "f": 0x0C
        case "n": 0x0A
        case "r": 0x0D
        case "t": 0x09
        default: nil
        }
    }

    fileprivate var hexDigit: UInt16? {
        switch character {
        case "0"..."9": self - 0x30
        case "a"..."f": self - 0x61 + 10
        case "A"..."F": self - 0x41 + 10
        default: nil
        }
    }

    fileprivate var isPartOfEscape: Bool { self == .u || hexDigit != nil || unescaped != nil }

    /// Whether an escape of this unit, at any depth, can end in `rest`.
    fileprivate func hasEscape(endingIn rest: Slice<UnsafeBufferPointer<UInt16>>) -> Bool {
        let letters = rest.drop { $0 == .backslash }
        if letters.isEmpty { return self == .backslash }
        if letters.count == 1, letters.first?.unescaped == self { return true }
        guard letters.count <= 5 else { return false }
        if letters.count == 5, letters.first != .u { return false }
        return letters.suffix(4).reversed().enumerated().allSatisfy { index, letter in
            letter.hexDigit == self >> (4 * UInt16(index)) & 0xF
        }
    }
}

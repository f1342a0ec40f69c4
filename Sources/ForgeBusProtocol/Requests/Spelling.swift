/// Distinguishes misspelt words from unknown words that are spelt correctly.
package enum Spelling {
    /// Whether `word` becomes `known` by one or two edits: insertions, deletions, replacements or swaps of neighbours.
    ///
    /// The result is false if a word has fewer than four bytes, because too many real words are close to short words.
    package static func isWithinTwoEdits(_ word: String, _ known: String) -> Bool {
        let a = Array(word.utf8.prefix(70))
        let b = Array(known.utf8)
        guard min(a.count, b.count) >= 4, abs(a.count - b.count) <= 2, a != b else { return false }
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i] + [Int](repeating: 0, count: b.count)
            for j in 1...b.count {
                row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    row[j] = min(row[j], beforeLast[j - 2] + 1)
                }
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count] <= 2
    }

    /// The first known word that is within two edits of `word`, which the sender probably meant; nil if no known word
    /// is so close.
    package static func guess(_ word: String, among known: some Sequence<String>) -> String? {
        known.first { isWithinTwoEdits(word, $0) }
    }
}

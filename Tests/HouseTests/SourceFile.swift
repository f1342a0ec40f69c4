import Foundation

/// A Swift file as the rules see it.
struct SourceFile {
    /// Where it lies, below the folder that was read.
    let path: String
    private(set) var imports: Set<String> = []
    /// The types that it declares at its top level and that other files see.
    private(set) var types: Set<String> = []
    /// Every name that stands by itself, without a dot before it.
    private(set) var names: Set<String> = []
    /// Types of its own that hide others of the same name: nested and private ones.
    private var hidden: Set<String> = []

    /// The types that it mentions of those that are declared elsewhere.
    var mentions: Set<String> { names.subtracting(hidden) }

    init(path: String, text: String) {
        self.path = path
        let code = SwiftCode(text).bytes
        for line in code.split(separator: UInt8(ascii: "\n")) { read(line) }
    }

    /// All Swift files below a folder of the repository.
    static func all(below folder: String) throws -> [SourceFile] {
        try Repository.swiftFiles(below: folder).map { path in
            try SourceFile(path: path, text: Repository.text(of: "\(folder)/\(path)"))
        }
    }

    private static let kinds: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    private static let modifiers: Set = [
        "public", "package", "internal", "private", "fileprivate", "final", "indirect",
    ]

    private mutating func read(_ line: ArraySlice<UInt8>) {
        let words = line.split { !$0.isPartOfName }
        let texts = words.map { String(decoding: $0, as: UTF8.self) }
        for (word, text) in zip(words, texts)
        where word.startIndex == line.startIndex || line[word.startIndex - 1] != UInt8(ascii: ".") {
            names.insert(text)
        }
        let isAttributed = line.first { $0 != UInt8(ascii: " ") } == UInt8(ascii: "@")
        let first = texts.firstIndex { !Self.modifiers.contains($0) } ?? texts.endIndex
        if let place = texts.firstIndex(of: "import"), place == first || isAttributed {
            let name = texts[(place + 1)...].first { !Self.kinds.contains($0) && $0 != "func" }
            if let name { imports.insert(name) }
        }
        guard let place = texts.firstIndex(where: Self.kinds.contains), place == first || isAttributed,
            place + 1 < texts.endIndex
        else { return }
        let isNested = line.first == UInt8(ascii: " ")
        let isPrivate = !Set(texts[..<place]).isDisjoint(with: ["private", "fileprivate"])
        if isNested || isPrivate { hidden.insert(texts[place + 1]) } else { types.insert(texts[place + 1]) }
    }
}

/// The code of a Swift file: comments are left out, and of each string only its quotes stay.
struct SwiftCode {
    private(set) var bytes: [UInt8] = []
    private let source: [UInt8]
    private var position = 0

    init(_ text: String) {
        source = Array(text.utf8)
        copy(untilParenthesis: false)
    }

    /// Copies code to its end, or up to the parenthesis that ends what stands in a string.
    private mutating func copy(untilParenthesis: Bool) {
        var depth = 0
        while position < source.count {
            let byte = source[position]
            switch byte {
            case UInt8(ascii: "/") where starts("//"):
                while position < source.count, source[position] != UInt8(ascii: "\n") { position += 1 }
                continue
            case UInt8(ascii: "/") where starts("/*"):
                skipComment()
                continue
            case UInt8(ascii: "#"), UInt8(ascii: "\""):
                guard let hashes = stringBegins() else { break }
                skipString(hashes)
                continue
            case UInt8(ascii: "("):
                depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                if untilParenthesis, depth < 0 { return position += 1 }
            default: break
            }
            bytes.append(byte)
            position += 1
        }
    }

    private func starts(_ text: String) -> Bool { source[position...].starts(with: text.utf8) }

    /// The comment's end; comments stand in each other.
    private mutating func skipComment() {
        var depth = 0
        repeat {
            if starts("/*") { depth += 1 }
            if starts("*/") { depth -= 1 }
            position += starts("/*") || starts("*/") ? 2 : 1
        } while depth > 0 && position < source.count
    }

    /// How many `#` stand before the quote of a string; nil where none begins.
    private func stringBegins() -> Int? {
        let hashes = source[position...].prefix { $0 == UInt8(ascii: "#") }.count
        let quote = position + hashes
        return quote < source.count && source[quote] == UInt8(ascii: "\"") ? hashes : nil
    }

    private mutating func skipString(_ hashes: Int) {
        position += hashes
        let quotes = starts("\"\"\"") ? "\"\"\"" : "\""
        let marks = String(repeating: "#", count: hashes)
        position += quotes.count
        while position < source.count, !starts(quotes + marks) {
            if starts("\\" + marks + "(") {
                position += hashes + 2
                copy(untilParenthesis: true)
            } else {
                position += starts("\\" + marks) ? hashes + 2 : 1
            }
        }
        position += quotes.count + hashes
        bytes += Array("\"\"".utf8)
    }
}

extension UInt8 {
    fileprivate var isPartOfName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

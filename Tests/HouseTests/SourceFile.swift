import TestSupport

/// A Swift file as the rules see it.
struct SourceFile {
    /// Where it lies, below the folder that was read.
    let path: String
    private(set) var imports: Set<String> = []
    /// The types that it declares at its top level and that other files see.
    private(set) var types: Set<String> = []
    /// Types of its own that hide others of the same name: nested and private ones.
    private var hidden: Set<String> = []
    /// Every name that stands by itself, without a dot before it.
    let names: Set<String>

    /// The types that it mentions of those that are declared elsewhere.
    var mentions: Set<String> { names.subtracting(hidden) }

    init(path: String, text: String) {
        self.path = path
        let code = Pattern.commentsAndStrings.replacing(in: text) { _ in "\"\"" }
        names = Set(Self.name.captures(in: code).map { $0[0] })
        for groups in Self.importing.captures(in: code) { imports.insert(groups[1]) }
        for groups in Self.declaration.captures(in: code) {
            let isHidden = !groups[1].isEmpty || groups[2].contains("private")
            if isHidden { hidden.insert(groups[3]) } else { types.insert(groups[3]) }
        }
    }

    /// All Swift files below a folder of the repository.
    static func all(below folder: String) throws -> [SourceFile] {
        try Repository.files(below: folder, endingWith: ".swift").map { path in
            try SourceFile(path: path, text: Repository.text(of: "\(folder)/\(path)"))
        }
    }

    /// How many lines, without comments and blank ones, each type has among these: its declaration and its extensions.
    static func sizes(of lines: [Substring]) -> [String: Int] {
        var sizes: [String: Int] = [:]
        var current: String?
        for line in lines {
            if let name = opening.captures(in: String(line)).first?[2] { current = name }
            let code = line.drop(while: \.isWhitespace)
            if let current, !code.isEmpty, !code.hasPrefix("//") { sizes[current, default: 0] += 1 }
            if line.hasPrefix("}") { current = nil }
        }
        return sizes
    }

    private static let opening = Pattern(
        #"^((?:@\w+(?:\([^)]*\))? |\w+(?:\(\w+\))? )*?)(?:struct|class|enum|actor|extension|protocol) (\w+)[^}]*$"#
    )
    private static let name = Pattern(#"(?<![.\w])[A-Za-z_]\w*"#)
    private static let importing = Pattern(#"^(?:@\w+ )?(?:\w+ )?import (?:(?:struct|class|enum|func) )?(\w+)"#)
    private static let declaration = Pattern(
        #"^( *)((?:@\w+ |(?!import )\w+ )*?)(?:struct|class|enum|actor|protocol|typealias) (\w+)"#
    )
}

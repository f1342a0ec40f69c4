import Yams

/// A place in a file: a line and a column, both from 1; the column counts Unicode scalars.
struct Position {
    let line: Int
    let column: Int

    init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    init(_ mark: Mark) { self.init(line: mark.line, column: mark.column) }
}

/// The problems of one file, collected during reading, so that all of them can be reported together.
///
/// Owned by the code that reads the file; only that code uses it.
final class Problems {
    let file: String
    private var found: [ConfigurationError] = []

    init(file: String) { self.file = file }

    /// Whether no problem has been recorded.
    var areNone: Bool { found.isEmpty }

    /// Records a problem at a place in the file.
    func add(_ error: ConfigurationError, at position: Position?, key: String?) {
        found.append(placed(error, at: position, key: key))
    }

    /// The error at a place in the file, without recording it.
    func placed(_ error: ConfigurationError, at position: Position?, key: String?) -> ConfigurationError {
        var error = error
        error.file = file
        error.line = position?.line
        error.column = position?.column
        error.key = key.flatMap { $0.isEmpty ? nil : $0 }
        return error
    }

    /// Records a finished error as a problem, such as an error whose cause is outside the file.
    func add(_ error: ConfigurationError) { found.append(error) }

    /// The problems in the order of the file; those without a line are the last.
    var sorted: [ConfigurationError] {
        found.enumerated().sorted { a, b in
            (a.element.line ?? .max, a.element.column ?? 0, a.offset) < (
                b.element.line ?? .max, b.element.column ?? 0, b.offset
            )
        }.map(\.element)
    }

    /// Throws the first problem of the file, with all others in its `others`; does nothing if there are no problems.
    func check() throws(ConfigurationError) { try ConfigurationError.check(sorted) }
}

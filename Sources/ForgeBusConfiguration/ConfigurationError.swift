import ForgeBusProtocol

/// A worker cannot be made from what was given: a file, the environment, or what was said on the command line.
public struct ConfigurationError: Error, Hashable, Sendable {
    /// Which kind of error; open, because more may be told apart later.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name.
        public let rawValue: String

        /// A code by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file cannot be read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The file belongs to somebody else, or others may write it, and it decides who may do what.
        public static let untrusted = Code(rawValue: "untrusted")
        /// The file is larger than 1 MiB, or its aliases stand for more values than that has bytes.
        public static let tooLarge = Code(rawValue: "too_large")
        /// The file is not YAML, or not UTF-8.
        public static let notYAML = Code(rawValue: "not_yaml")
        /// A key that means nothing where it stands.
        public static let unknownKey = Code(rawValue: "unknown_key")
        /// A key, an id or an entry of a list that was given before.
        public static let duplicate = Code(rawValue: "duplicate")
        /// A key that must be there is not.
        public static let missingKey = Code(rawValue: "missing_key")
        /// A value of another type than the key takes.
        public static let wrongType = Code(rawValue: "wrong_type")
        /// A value of the right type that the key does not take: out of bounds, no name, no pattern.
        public static let badValue = Code(rawValue: "bad_value")
        /// A gate's id names a seed that the pipeline does not have.
        public static let unknownSeed = Code(rawValue: "unknown_seed")
        /// An action requires one that is not there, or that runs later.
        public static let badRequirement = Code(rawValue: "bad_requirement")
        /// An endpoint that strangers could reach.
        public static let openDoor = Code(rawValue: "open_door")
        /// The directory of the default endpoint cannot be made, or others can get into it.
        public static let directory = Code(rawValue: "directory")
    }

    /// Which kind of error.
    public var code: Code
    /// The cause, one sentence that says what is expected.
    public var message: String
    /// What to do now, one sentence.
    public var next: String
    /// The file, as it was named; nil if the cause is not in a file.
    public var file: String?
    /// The line in the file, from 1.
    public var line: Int?
    /// The column in the line, from 1, in Unicode scalars.
    public var column: Int?
    /// The keys that lead to the place, such as `pipelines.deploy.actions[0].run`, or the name of a variable of the
    /// environment.
    public var key: String?
    /// What else is wrong with the same file, in the order of the file.
    public var others: [ConfigurationError] = []

    /// An error without a place; set ``file``, ``line``, ``column`` and ``key`` where there is one.
    public init(_ code: Code, _ message: String, next: String) {
        self.code = code
        self.message = message
        self.next = next
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// One line for each error, in the manner of a compiler: `worker.yaml:12:7: pipelines.deploy.slots: …`.
    public var description: String { lines.joined(separator: "\n") }

    /// The lines of the description; nothing that stands in a file begins another one.
    package var lines: [String] {
        let position = [file, line.map(String.init), column.map(String.init)].compactMap(\.self).joined(separator: ":")
        let place = [position, key ?? ""].filter { !$0.isEmpty }
        let line = (place + ["\(message) \(next)"]).joined(separator: ": ")
        return [Printable.escaped(line)] + others.flatMap(\.lines)
    }
}

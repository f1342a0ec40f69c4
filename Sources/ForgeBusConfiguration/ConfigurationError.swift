import ForgeBusProtocol

/// An invalid setting: in a file, in the environment, or on the command line.
public struct ConfigurationError: Error, Hashable, Sendable {
    /// The kind of error; later versions may add kinds.
    public struct Code: Hashable, Sendable, RawRepresentable {
        /// The code's name, such as `not_yaml`.
        public let rawValue: String

        /// Makes a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A file cannot be read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// A file cannot be trusted, because other users have too much access to it.
        ///
        /// The access file, an inventory, or a key file of one belongs neither to root nor to the user who reads it, or
        /// other users may write it; or every user of the machine may use the file of a secret.
        public static let untrusted = Code(rawValue: "untrusted")
        /// The file is larger than 1 MiB, or its aliases expand to too many values; or an inventory, or what a command of
        /// it prints, is larger than 2 MiB or has too many workers.
        public static let tooLarge = Code(rawValue: "too_large")
        /// The file is not YAML, or not UTF-8.
        public static let notYAML = Code(rawValue: "not_yaml")
        /// A key is not allowed at its place in the file.
        public static let unknownKey = Code(rawValue: "unknown_key")
        /// A key, an id or a list entry occurs twice.
        public static let duplicate = Code(rawValue: "duplicate")
        /// A required key is missing.
        public static let missingKey = Code(rawValue: "missing_key")
        /// A value has another type than its key expects, or it has a tag.
        public static let wrongType = Code(rawValue: "wrong_type")
        /// A value of the right type is not accepted, such as a number out of bounds or an invalid name or pattern.
        public static let badValue = Code(rawValue: "bad_value")
        /// A gate's id or message names a seed that the pipeline does not have.
        public static let unknownSeed = Code(rawValue: "unknown_seed")
        /// An action requires an action that does not exist or runs later.
        public static let badRequirement = Code(rawValue: "bad_requirement")
        /// An action or an event requests a run that the worker would refuse.
        ///
        /// For example, the requested pipeline does not exist, a seed is missing or has the wrong type, or the requests
        /// go in a circle.
        public static let badRequest = Code(rawValue: "bad_request")
        /// The worker would accept messages from other machines without authentication.
        ///
        /// It would listen at an endpoint that other machines can reach, or connect to a publisher on another machine.
        public static let openDoor = Code(rawValue: "open_door")
        /// The directory of an endpoint or of a store cannot be used.
        ///
        /// The directory of the default endpoint or store cannot be created or is not private, or the directory of a
        /// named store does not exist.
        public static let directory = Code(rawValue: "directory")
        /// A program of an action does not exist on this machine, or cannot be executed.
        public static let missingProgram = Code(rawValue: "missing_program")
        /// A command that prints workers of an inventory failed, took too long, or printed nothing.
        public static let failedCommand = Code(rawValue: "failed_command")
    }

    /// The kind of error.
    public var code: Code
    /// The cause, and the expected value if there is one, for people.
    public var message: String
    /// What the reader of the error can do next, in one sentence.
    public var next: String
    /// The key or word that the author of the file probably meant; nil if none is similar enough.
    public var guess: String?
    /// The file's name as it was given; nil if the cause is not in a file.
    public var file: String?
    /// The line in the file, from 1; nil if the error has no place in a file.
    public var line: Int?
    /// The column in the line, from 1, in Unicode scalars; nil if the error has no place in a file.
    public var column: Int?
    /// The keys that lead to the place in the file, such as `pipelines.deploy.actions[0].run`; nil without a place.
    ///
    /// For a cause outside a file, the key is the name of an option or of an environment variable.
    public var key: String?
    /// All other problems that were found with this one, in the order of the file; their own `others` are empty.
    public var others: [ConfigurationError] = []

    /// Throws the first of `errors`, with all others in its ``others``; does nothing if there are no errors.
    package static func check(_ errors: [ConfigurationError]) throws(ConfigurationError) {
        guard var first = errors.first else { return }
        first.others = Array(errors.dropFirst())
        throw first
    }

    /// Makes an error without a place; set ``file``, ``line``, ``column`` and ``key`` if they are known.
    public init(_ code: Code, _ message: String, next: String) {
        self.code = code
        self.message = message
        self.next = next
    }

    /// Makes an error whose message ends with the offer of a similar word, if there is one.
    init(_ code: Code, _ message: String, guess: String?, next: String) {
        self.init(code, message + (guess.map { " Did you mean `\($0)`?" } ?? ""), next: next)
        self.guess = guess
    }
}

extension ConfigurationError: CustomStringConvertible {
    /// One line for each problem, in a compiler's format: `worker.yaml:12:7: pipelines.deploy.slots: …`.
    public var description: String { lines.joined(separator: "\n") }

    /// The lines of the description: one for each of the first problems, and then one with the number of the others.
    ///
    /// A line break in a file's text is escaped. The lines have a limited size in all, so that each log takes them.
    package var lines: [String] {
        let shown = [shownLine] + others.prefix(Self.shownOthers).map(\.shownLine)
        let rest = others.count - Self.shownOthers
        return rest > 0 ? shown + ["and \(rest) more \(rest == 1 ? "problem" : "problems")"] : shown
    }

    private static let shownOthers = 99
    private static let longestLineInBytes = 4096

    private var shownLine: String {
        let position = [file, line.map(String.init), column.map(String.init)].compactMap(\.self).joined(separator: ":")
        let place = [position, key ?? ""].filter { !$0.isEmpty }
        let line = (place + ["\(message) \(next)"]).joined(separator: ": ")
        return Printable.cut(Printable.escaped(line), to: Self.longestLineInBytes)
    }
}

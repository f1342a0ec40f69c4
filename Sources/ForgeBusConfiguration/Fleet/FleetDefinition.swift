import ForgeBusFleet
import ForgeBusProtocol

/// Reads the file of an inventory, and records every problem.
struct FleetDefinition {
    private let source: SourceFile
    private var roster: Roster
    private var includes: [IncludeDefinition] = []
    private var expectations: [(value: Inventory.Expectation, entry: Entry)] = []
    /// The problems of the file, and then those of what each command has printed.
    private var problems: [Problems]
    /// Whether the roster has all workers, so that a worker that it does not have is an error of the file.
    private var isComplete = false

    init(_ source: SourceFile) {
        self.source = source
        roster = Roster(in: source.directory)
        let problems = Problems(file: source.name)
        self.problems = [problems]
        let root = Document.root(of: source, problems, expecting: "the key `workers`")
        guard let fields = root.flatMap({ Fields($0, .inventory) }) else { return }
        if fields["include"] == nil {
            _ = fields.required("workers")
        }
        if let entry = fields["workers"] { roster.read(entry) }
        isComplete = fields["include"] == nil && !roster.known.isEmpty
        includes = fields["include"].map(IncludeDefinition.includes) ?? []
        expectations = fields["expect"].map(Self.expectations) ?? []
    }

    /// Runs the commands of the file, and reads the workers that they print.
    ///
    /// - Throws: ``ConfigurationError`` with the problems of the file itself; no command has run then.
    mutating func include(_ environment: [String: String]) async throws(ConfigurationError) {
        if includes.isEmpty { return }
        try problems[0].check()
        let results = await IncludeDefinition.results(of: includes, in: source.directory, environment)
        for (include, result) in zip(includes, results) {
            guard let output = include.output(result, in: source.directory) else { continue }
            let problems = Problems(file: output.name)
            self.problems.append(problems)
            let root = Document.root(of: output, problems, expecting: "the key `workers`")
            let fields = root.flatMap { Fields($0, .includedWorkers) }
            if let entry = fields?.required("workers") { roster.read(entry) }
        }
        isComplete = problems.allSatisfy(\.areNone)
    }

    /// The inventory that the file and its commands describe.
    ///
    /// - Throws: ``ConfigurationError`` for the first problem of the file and of what its commands have printed.
    func inventory() throws(ConfigurationError) -> Inventory {
        roster.noteSecrets()
        if isComplete {
            for expectation in expectations {
                guard let flaw = expectation.value.selection.flaw(among: roster.known) else { continue }
                expectation.entry.note(Errors.badValue(flaw))
            }
        }
        try ConfigurationError.check(problems.flatMap(\.sorted))
        return Inventory(workers: roster.workers, expectations: expectations.map(\.value))
    }

    // MARK: Expectations

    private static func expectations(_ entry: Entry) -> [(value: Inventory.Expectation, entry: Entry)] {
        (entry.someElements("a list of expectations", isOptional: true) ?? []).compactMap { element in
            guard let fields = Fields(element, .expectation) else { return nil }
            let selection = fields["on"].map(Self.selection) ?? .all
            let monitors = fields.required("monitors")
                .flatMap(Self.monitors)
            guard let selection, let monitors else { return nil }
            return (Inventory.Expectation(on: selection, monitors: monitors), fields["on"] ?? element)
        }
    }

    private static func selection(_ entry: Entry) -> Selection? {
        let next = "Write a list such as [role=web] or [web-01, web-02]."
        guard let elements = entry.someElements("a list of labels or names", next: next, isOptional: true) else {
            return nil
        }
        let parts = elements.compactMap { $0.text("a label with its value, or a name") }
        guard parts.count == elements.count else { return nil }
        do throws(BusError) {
            return try Selection(parts: parts)
        } catch {
            entry.note(Errors.badValue(error))
            return nil
        }
    }

    private static func monitors(_ entry: Entry) -> [Name]? {
        guard let elements = entry.someElements("a list of names of monitors") else { return nil }
        var names: [Name] = []
        for element in elements {
            guard let name = element.name("the name of a monitor") else { continue }
            if names.contains(name) { element.note(Errors.listedTwice(Printable.quoted(name.text))) }
            names.append(name)
        }
        return names
    }
}

import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// An action of the file that sends an HTTP POST.
struct PostDefinition {
    let url: PostURL
    /// The members of the JSON object, in the order of the file.
    let members: [Member]
    /// The entry with the path of the secret that signs the request; nil without a signature.
    let secretFile: Entry?
    /// The place of the URL in the file, for error messages.
    let entry: Entry

    /// A member of the posted object, with the place of its value in the file.
    struct Member {
        let name: String
        let source: Source
        let entry: Entry
    }

    /// Where the value of a member comes from.
    enum Source: Sendable {
        /// One value of a run, with its type.
        case value(RequestAction.Source)
        /// A text with values of a run.
        case text(MessageTemplate)
        /// One value of a monitor's cycle.
        case cause(RequestMonitorAction.Source)
    }

    /// Reads the post; nil after recording the problem.
    init?(_ fields: Fields, _ role: ActionDefinition.Role) {
        let members = fields["send"].flatMap { $0.members("a mapping of names to the values that are sent") } ?? []
        self.members = members.compactMap { member in
            Self.source(member.entry, role).map { Member(name: member.name, source: $0, entry: member.entry) }
        }
        secretFile = fields["secret_file"]
        guard let entry = fields["post"], let url = PostURL(entry, role) else { return nil }
        (self.url, self.entry) = (url, entry)
    }

    private static func source(_ entry: Entry, _ role: ActionDefinition.Role) -> Source? {
        guard role == .pipeline else {
            guard case .monitor(let source) = RequestDefinition.source(entry, role) else { return nil }
            return .cause(source)
        }
        guard let value = entry.json else { return nil }
        guard let text = value.string, text.contains("{") else {
            if value.string == nil, value.hasBraces { entry.note(Errors.nestedPlaceholder) }
            return .value(.constant(value))
        }
        do throws(BusError) {
            let template = try MessageTemplate(text)
            return RequestAction.Source(template).map { .value($0) } ?? .text(template)
        } catch {
            entry.note(Errors.badValue(error))
            return nil
        }
    }

    /// Records a problem for each seed that a post names and the pipeline does not have, and for each secret seed that
    /// is only a part of a text.
    ///
    /// A secret seed may be sent as the whole value of a member. In a longer text or in the URL, it would be a part of
    /// what logs show.
    ///
    /// With `hasAllSeeds` false, a seed of the pipeline has a problem of its own, and is missing in `seeds`.
    static func check(_ actions: [ActionDefinition], seeds: [Seed], hasAllSeeds: Bool) {
        func known(_ names: [String]) -> [String] {
            hasAllSeeds ? names : names.filter { name in seeds.contains { $0.key == name } }
        }
        for action in actions {
            guard case .post(let post) = action.work else { continue }
            check(known(post.url.target.seeds), at: post.entry, seeds, maySend: false)
            for member in post.members {
                switch member.source {
                case .value(.seed(let name)): check(known([name]), at: member.entry, seeds, maySend: true)
                case .text(let template): check(known(template.seeds), at: member.entry, seeds, maySend: false)
                case .value, .cause: break
                }
            }
        }
    }

    private static func check(_ names: [String], at entry: Entry, _ seeds: [Seed], maySend isWhole: Bool) {
        for name in names {
            guard let seed = seeds.first(where: { $0.key == name }) else {
                entry.note(Errors.unknownSeed(name, guess: Spelling.guess(name, among: seeds.map(\.key))))
                continue
            }
            if seed.isSecret, !isWhole { entry.note(Errors.secretSeedInText(name)) }
        }
    }
}

extension JSONValue {
    /// Whether a text in the value has an opening brace.
    fileprivate var hasBraces: Bool {
        switch self {
        case .string(let text): text.contains("{")
        case .array(let values): values.contains(where: \.hasBraces)
        case .object(let object): object.entries.contains { $0.value.hasBraces }
        case .null, .bool, .integer, .number: false
        }
    }
}

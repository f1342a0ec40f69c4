import ForgeBusProtocol
import ForgeBusWorker
import ForgeOrchestrator

/// Checks the gates of a pipeline against the pipeline's seeds and its other gates.
enum GateRules {
    /// Records the problems of the gates.
    ///
    /// A gate must have an id of its own. Its id and its message can name only declared seeds that are not secret. A
    /// seed in an id must be a string or an integer, and its default must be valid in an id. A gate can name in
    /// `distinct_from` only other gates that it requires, directly or through other actions.
    ///
    /// If an action or a seed of the pipeline has a problem of its own, it is missing in these lists. Then `isWhole` or
    /// `hasAllSeeds` is false, and no problem says that the pipeline does not have the action or the seed.
    static func check(
        _ actions: [ActionDefinition],
        requiring requires: [Set<ActionID>],
        isWhole: Bool,
        of pipeline: Name,
        seeds: [Seed],
        hasAllSeeds: Bool
    ) {
        var templates: Set<SignalTemplate> = []
        let gates = actions.filter(\.isGate).map(\.id.rawValue)
        let requirements = Dictionary(
            zip(actions, requires).map { ($0.id.rawValue, Set($1.map(\.rawValue))) }
        ) { first, _ in first }
        for action in actions {
            guard case .gate(let gate) = action.work else { continue }
            let (id, entry) = (action.id.rawValue, gate.entry)
            guard gate.signal != nil || pipeline.text.utf8.count + id.utf8.count <= longestOwnName else {
                entry.note(Errors.ownSignalTooLong(pipeline))
                continue
            }
            let template = gate.signal(of: id, in: pipeline)
            if !templates.insert(template).inserted {
                entry.note(Errors.signalTwice(template.text))
            }
            if isWhole {
                checkDistinct(gate, among: gates.filter { $0 != id }, requiring: requirements.closure(of: [id]))
            }
            for name in template.seeds where hasAllSeeds || seeds.contains(where: { $0.key == name }) {
                check(name, entry, seeds)
            }
            noteSecrets(template.seeds, entry, seeds)
            if let message = gate.message { noteSecrets(message.template.seeds, message.entry, seeds) }
            guard hasAllSeeds, let message = gate.message else { continue }
            for name in message.template.seeds where !seeds.contains(where: { $0.key == name }) {
                noteUndeclared(name, message.entry, seeds)
            }
        }
    }

    /// The most bytes of the names of a pipeline and of its gate without a signal: with two dots and the longest id of a
    /// run, they are a name.
    private static let longestOwnName = Name.maximumSizeInBytes - Name.maximumTokenSizeInBytes - 2

    /// Records a problem for each place in a pipeline's title or key that no run has when it is accepted, or that is secret.
    static func check(_ title: MessageTemplate, at entry: Entry, _ seeds: [Seed]) {
        for name in title.values { entry.note(Errors.valueInTitle(name)) }
        for name in title.seeds where !seeds.contains(where: { $0.key == name }) { noteUndeclared(name, entry, seeds) }
        noteSecrets(title.seeds, entry, seeds)
    }

    /// The seed that a constant template was probably meant to name, as in `environment` and `{{seed.environment}}`; nil if
    /// there is none.
    static func seedWithoutBraces(in template: MessageTemplate, _ seeds: [Seed]) -> String? {
        if template.hasPlaces { return nil }
        // The longest name that fits: `seed.version` is not meant to name the seed `v`.
        return seeds.map(\.key).filter { template.text == $0 || template.text.contains("seed.\($0)") }
            .max { $0.utf8.count < $1.utf8.count }
    }

    /// Records a problem for each signal that the file names and that could be the own signal of a gate in the file.
    static func checkNamed(_ gates: [NamedGate]) {
        let own = gates.filter { $0.gate.signal == nil }.map { $0.gate.signal(of: $0.action, in: $0.pipeline).pattern }
        for named in gates {
            guard let signal = named.gate.signal, let other = own.first(where: { $0.overlaps(signal.pattern.text) })
            else { continue }
            named.gate.entry.note(Errors.signalOfOtherGate(signal.text, other.text))
        }
    }

    /// A gate with its place in the file.
    struct NamedGate {
        let gate: GateDefinition
        let action: String
        let pipeline: Name
    }

    /// Records a problem for each id in `distinct_from` that is not another gate, or that this gate does not require.
    private static func checkDistinct(_ gate: GateDefinition, among gates: [String], requiring required: Set<String>) {
        for (name, entry) in gate.distinctFrom where !gates.contains(name) || !required.contains(name) {
            entry.note(
                gates.contains(name)
                    ? Errors.distinctFromUnrequired(name)
                    : Errors.distinctFromUnknown(name, guess: Spelling.guess(name, among: gates))
            )
        }
    }

    private static func noteSecrets(_ names: [String], _ entry: Entry, _ seeds: [Seed]) {
        for seed in seeds where seed.isSecret && names.contains(seed.key) {
            entry.note(Errors.secretSeedInGate(seed.key))
        }
    }

    private static func check(_ name: String, _ entry: Entry, _ seeds: [Seed]) {
        guard let seed = seeds.first(where: { $0.key == name }) else {
            return noteUndeclared(name, entry, seeds, as: ", as a string or an integer")
        }
        switch seed.type {
        case .string, .integer: checkDefault(seed, entry)
        case .number, .boolean, .array, .object:
            entry.note(Errors.typeOfSeedInGateID(seed))
        }
    }

    /// Records a seed that the pipeline does not declare; `types` says which types the seed can have, if not all.
    private static func noteUndeclared(_ name: String, _ entry: Entry, _ seeds: [Seed], as types: String = "") {
        entry.note(Errors.unknownSeed(name, as: types, guess: Spelling.guess(name, among: seeds.map(\.key))))
    }

    /// Records a default that is not valid in a signal's id, because each request that relies on it would fail.
    private static func checkDefault(_ seed: Seed, _ entry: Entry) {
        guard let value = seed.defaultValue else { return }
        let text = value.string ?? value.integer.map(String.init) ?? ""
        if SignalTemplate.token(text) != nil { return }
        entry.note(Errors.defaultNotInGateID(text, of: seed))
    }
}

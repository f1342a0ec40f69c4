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
            let (template, entry) = (gate.signal, gate.entry)
            if !templates.insert(template).inserted {
                entry.note(
                    .duplicate,
                    "An earlier gate already has the signal id \"\(template.text)\", and each gate needs one of its "
                        + "own.",
                    next: "Write another id here."
                )
            }
            let id = action.id.rawValue
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

    /// Records a problem for each id in `distinct_from` that is not another gate, or that this gate does not require.
    private static func checkDistinct(_ gate: GateDefinition, among gates: [String], requiring required: Set<String>) {
        for (name, entry) in gate.distinctFrom where !gates.contains(name) || !required.contains(name) {
            let guess = Spelling.guess(name, among: gates).map { " Did you mean `\($0)`?" } ?? ""
            entry.note(
                .badValue,
                gates.contains(name)
                    ? "This gate does not require `\(name)`, so this gate could be decided before `\(name)` is."
                    : "The pipeline has no other gate \(Printable.quoted(name)).\(guess)",
                next: gates.contains(name)
                    ? "Add `\(name)` to this gate's `requires`, so that it is decided first, or remove it from "
                        + "`distinct_from`."
                    : "Name a gate that this gate requires, directly or through other actions."
            )
        }
    }

    private static func noteSecrets(_ names: [String], _ entry: Entry, _ seeds: [Seed]) {
        for seed in seeds where seed.isSecret && names.contains(seed.key) {
            entry.note(
                .badValue,
                "The seed `\(seed.key)` is secret, and everybody who reads the gate would see the secret.",
                next: "Use another seed."
            )
        }
    }

    private static func check(_ name: String, _ entry: Entry, _ seeds: [Seed]) {
        guard let seed = seeds.first(where: { $0.key == name }) else {
            return noteUndeclared(name, entry, seeds, as: ", as a string or an integer")
        }
        switch seed.type {
        case .string, .integer: checkDefault(seed, entry)
        case .number, .boolean, .array, .object:
            entry.note(
                .badValue,
                "The seed `\(name)` is of type \(seed.type.rawValue), which cannot be part of a gate's id.",
                next: "Declare it as string or integer."
            )
        }
    }

    /// Records a seed that the pipeline does not declare; `types` says which types the seed can have, if not all.
    private static func noteUndeclared(_ name: String, _ entry: Entry, _ seeds: [Seed], as types: String = "") {
        let guess = Spelling.guess(name, among: seeds.map(\.key)).map { " Did you mean `\($0)`?" } ?? ""
        entry.note(
            .unknownSeed,
            "The pipeline has no seed \(Printable.quoted(name)).\(guess)",
            next: guess.isEmpty
                ? "Declare it below `seeds`\(types)."
                : "Otherwise declare \(Printable.quoted(name)) below `seeds`\(types)."
        )
    }

    /// Records a default that is not valid in a signal's id, because each request that relies on it would fail.
    private static func checkDefault(_ seed: Seed, _ entry: Entry) {
        guard let value = seed.defaultValue else { return }
        let text = value.string ?? value.integer.map(String.init) ?? ""
        if SignalTemplate.token(text) != nil { return }
        entry.note(
            .badValue,
            "The default \(Printable.quoted(text)) of the seed `\(seed.key)` cannot be part of the gate's id.",
            next: "Make the seed required, or give it a default of 1 to 64 characters from A-Z a-z 0-9 _ - and the "
                + "dot, without a dot at the start or the end, and without two dots in a row."
        )
    }
}

import ForgeBusProtocol
import ForgeBusWorker

/// A gate as the file defines it, checked without regard to the pipeline's seeds.
struct GateDefinition {
    /// The signal that the file names; nil for one of the gate's own.
    let signal: SignalTemplate?
    let deadline: Duration?
    let rule: GateRule
    /// The gate's message to those who decide, with its place in the file; nil without a message.
    let message: (template: MessageTemplate, entry: Entry)?
    /// The place of the signal's id in the file, or of the gate, for error messages.
    let entry: Entry
    /// The gates in `distinct_from`: a principal that decided one of them may not decide this gate.
    ///
    /// Each has its id and the id's place in the file.
    let distinctFrom: [(id: String, entry: Entry)]
    /// The error if the worker has no keys although the gate limits who may decide; nil if the gate has no such limit.
    let unkeyed: ConfigurationError?

    /// Reads the gate of an action with these fields; nil after recording the problem.
    init?(_ action: Fields) {
        guard let entry = action["gate"], let fields = Self.fields(entry) else { return nil }
        deadline = fields.time("deadline")
        distinctFrom = fields["distinct_from"].map(Self.gates) ?? []
        rule = RuleDefinition.rule(fields, distinctFrom: distinctFrom.map(\.id))
        message = fields["message"].flatMap(Self.message)
        unkeyed = RuleDefinition.keyOfIdentities(rule).map { key in
            fields.placed(Errors.needsKeys(key), at: key)
        }
        let named = fields["signal"]
        signal = named.flatMap(Self.signal)
        self.entry = named ?? entry
        if named != nil, signal == nil { return nil }
    }

    private static func fields(_ entry: Entry) -> Fields? {
        if case .scalar(let scalar) = entry.node {
            entry.note(Errors.gateIsText(scalar.string))
            return nil
        }
        return Fields(entry, .gate)
    }

    /// The signal of the gate: the one that the file names, or one of its own for each run.
    func signal(of action: String, in pipeline: Name) -> SignalTemplate {
        if let signal { return signal }
        do throws(BusError) { return try SignalTemplate.own(of: action, in: pipeline) } catch {
            fatalError("Internal error: \(error)")
        }
    }

    private static func gates(_ entry: Entry) -> [(id: String, entry: Entry)] {
        (entry.someElements("a list of ids of gates", isOptional: true) ?? []).compactMap { element in
            element.text("the id of a gate").map { ($0, element) }
        }
    }

    private static func signal(_ entry: Entry) -> SignalTemplate? {
        guard let text = entry.text("the id of a gate") else { return nil }
        do throws(BusError) {
            return try SignalTemplate(text)
        } catch {
            // The check replaced each placeholder by `x`.
            let checked = Printable.quoted(text.replacing(#/\{[^}]*\}/#, with: "x"))
            let fixed = text.replacing(#/\{[^}]*\}/#, with: "")
            let character = fixed.firstMatch(of: #/[^A-Za-z0-9_.\-]/#).map { String($0.output) }
            let flaw = error.message.replacing(checked, with: Printable.quoted(text))
            entry.note(Errors.notGateID(text, character: character, flaw: flaw))
            return nil
        }
    }

    private static func message(_ entry: Entry) -> (template: MessageTemplate, entry: Entry)? {
        let next = "Write one text; for several lines, begin it with |."
        guard let text = entry.text("a text as the message to those who decide", next: next) else { return nil }
        do throws(BusError) {
            return (try MessageTemplate(text), entry)
        } catch {
            entry.note(Errors.badValue(error))
            return nil
        }
    }
}

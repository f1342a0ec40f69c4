import ForgeBusProtocol
import ForgeBusWorker

/// A gate as the file defines it, checked without regard to the pipeline's seeds.
struct GateDefinition {
    let signal: SignalTemplate
    let deadline: Duration?
    let rule: GateRule
    /// The gate's message to those who decide, with its place in the file; nil without a message.
    let message: (template: MessageTemplate, entry: Entry)?
    /// The place of the signal's id in the file, for error messages.
    let entry: Entry
    /// The gates in `distinct_from`: a principal that decided one of them may not decide this gate.
    ///
    /// Each has its id and the id's place in the file.
    let distinctFrom: [(id: String, entry: Entry)]
    /// The error if the worker has no keys although the gate limits who may decide; nil if the gate has no such limit.
    let unkeyed: ConfigurationError?

    /// The keys that only a gate has.
    static let keys = ["gate"] + ruleKeys
    /// The keys for the gate's deadline, message and rule; a change of these keys parks no run.
    static let ruleKeys = ["deadline_ms", "message"] + RuleDefinition.keys
    private static let deadlines = 1...365 * 86_400_000

    /// Reads the gate; nil after recording the problem.
    init?(_ fields: Fields) {
        deadline = fields["deadline_ms"]?.milliseconds(Self.deadlines)
        distinctFrom = fields["distinct_from"].map(Self.gates) ?? []
        rule = RuleDefinition.rule(fields, distinctFrom: distinctFrom.map(\.id))
        message = fields["message"].flatMap(Self.message)
        unkeyed = RuleDefinition.keyOfIdentities(rule).map { key in
            fields.placed(Errors.needsKeys(key), at: key)
        }
        guard let entry = fields["gate"], let signal = Self.signal(entry) else { return nil }
        (self.signal, self.entry) = (signal, entry)
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

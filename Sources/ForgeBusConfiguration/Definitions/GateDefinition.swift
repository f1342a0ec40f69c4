import ForgeBusProtocol
import ForgeBusWorker

/// A gate as the file defines it, checked without regard to the pipeline's seeds.
struct GateDefinition {
    let signal: SignalTemplate
    let deadline: Duration?
    let rule: GateRule
    /// What the gate tells those who decide, with its place in the file; nil for nothing.
    let message: (template: GateMessage, entry: Entry)?
    /// The place of the signal's id in the file, for error messages.
    let entry: Entry

    /// The keys that only a gate has.
    static let keys = ["gate"] + ruleKeys
    /// The keys that say who decides, what they see, and until when; a change of them parks no run that waits at the gate.
    static let ruleKeys = ["deadline_ms", "allowed", "requester_may_decide", "message"]
    private static let deadlines = 1...365 * 86_400_000

    /// Reads the gate; nil after recording the problem.
    init?(_ fields: Fields) {
        deadline = fields["deadline_ms"]?.milliseconds(Self.deadlines)
        rule = Self.rule(fields)
        message = fields["message"].flatMap(Self.message)
        guard let entry = fields["gate"], let signal = Self.signal(entry) else { return nil }
        (self.signal, self.entry) = (signal, entry)
    }

    private static func signal(_ entry: Entry) -> SignalTemplate? {
        guard let text = entry.text("the id of a signal") else { return nil }
        do throws(BusError) {
            return try SignalTemplate(text)
        } catch {
            entry.note(
                .badValue,
                error.message,
                next: "Write tokens joined by dots, with {run.id} and {seed.NAME} where needed."
            )
            return nil
        }
    }

    private static func message(_ entry: Entry) -> (template: GateMessage, entry: Entry)? {
        guard let text = entry.text("a message to those who decide") else { return nil }
        do throws(BusError) {
            return (try GateMessage(text), entry)
        } catch {
            entry.note(.badValue, error.message, next: error.next)
            return nil
        }
    }

    /// Reads the rule; every problem is recorded, so that no gate is ever more open than its file says.
    private static func rule(_ fields: Fields) -> GateRule {
        GateRule(
            allowed: fields["allowed"].map(principals),
            requesterMayDecide: fields["requester_may_decide"].map { $0.flag ?? false } ?? true
        )
    }

    private static func principals(_ entry: Entry) -> Set<String> {
        var names: Set<String> = []
        for element in entry.someElements("a list of principals") ?? [] {
            guard let name = principal(element) else { continue }
            if !names.insert(name).inserted {
                element.note(.duplicate, "\(Printable.quoted(name)) is in this list already.", next: "Remove one.")
            }
        }
        return names
    }

    private static func principal(_ entry: Entry) -> String? {
        guard let text = entry.text("the name of a principal") else { return nil }
        if let flaw = Names.flaw(in: text) {
            entry.note(.badValue, flaw, next: Names.rule)
            return nil
        }
        guard text != AccessPolicy.reservedName.text else {
            entry.note(
                .badValue,
                "`\(text)` is reserved for senders without a key, who cannot be distinguished.",
                next: "Name principals of the access file."
            )
            return nil
        }
        return text
    }
}

import ForgeBusProtocol

// The errors about a selection.

extension Errors {
    static func emptyPart(of parts: [String]) -> BusError {
        let text = parts.joined(separator: ",")
        return BusError(
            .badValue,
            text.isEmpty
                ? "Expected names or labels of workers, found nothing."
                : "\(Printable.quoted(text)) has an empty part.",
            next: "Write names such as web-01,web-02, or labels such as role=web,zone=a."
        )
    }

    static func namesBesideLabels(_ name: String, _ label: String) -> BusError {
        BusError(
            .badValue,
            "\(Printable.quoted(name)) is a name and \(Printable.quoted(label)) is a label: one selection has either "
                + "names or labels.",
            next: "Write two selections: each chooses workers of its own."
        )
    }

    /// A side of `LABEL=VALUE` that is not a label and not a value.
    static func notLabel(_ side: String, in part: String) -> BusError {
        BusError(
            .badValue,
            "\(Printable.quoted(side)) in \(Printable.quoted(part)) cannot be a label or the value of one.",
            next: "Write LABEL=VALUE; for each side, use \(LabelText.rule)."
        )
    }

    static func labelTwice(_ label: String) -> BusError {
        BusError(
            .badValue,
            "The label `\(label)` occurs twice, and no worker has two values of one label.",
            next: "Write two selections: each chooses workers of its own."
        )
    }

    static func unknownWorker(_ name: Name, guess: String?) -> BusError {
        BusError(
            .unknownWorker,
            "The inventory has no worker \"\(name)\"." + (guess.map { " Did you mean `\($0)`?" } ?? ""),
            next: "Write the name of a worker of the inventory, or a label with its value, such as role=web."
        )
    }

    /// Labels, each as `LABEL=VALUE`, that no worker has, or that no worker has together.
    static func nobody(with labels: [String], guess: String?) -> BusError {
        BusError(
            .unknownWorker,
            (labels.count == 1
                ? "No worker of the inventory has the label \(labels[0])."
                : "No worker of the inventory has all of these labels: \(labels.joined(separator: ", ")).")
                + (guess.map { " Did you mean `\($0)`?" } ?? ""),
            next: "Write labels that a worker of the inventory has."
        )
    }
}

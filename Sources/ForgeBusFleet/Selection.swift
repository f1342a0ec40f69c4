public import ForgeBusProtocol

/// Chooses workers of an inventory.
public enum Selection: Hashable, Sendable {
    /// All workers.
    case all
    /// The workers with these names.
    case names(Set<Name>)
    /// The workers that have all these labels with these values.
    case labels([String: String])
    /// The workers that at least one of these selections chooses.
    case any([Selection])

    /// Whether the selection chooses this worker.
    public func contains(_ worker: Inventory.Worker) -> Bool { chooses(worker.name, worker.labels) }

    private func chooses(_ name: Name, _ labels: [String: String]) -> Bool {
        switch self {
        case .all: true
        case .names(let names): names.contains(name)
        case .labels(let wanted): wanted.allSatisfy { labels[$0.key] == $0.value }
        case .any(let selections): selections.contains { $0.chooses(name, labels) }
        }
    }
}

// MARK: - Text

extension Selection {
    /// Reads a selection from a text: names such as `web-01,web-02`, or labels such as `role=web,zone=a`.
    ///
    /// A worker is chosen by any of the names, or by all of the labels together. One text has either names or labels;
    /// ``any(_:)`` combines several texts.
    ///
    /// - Throws: `BusError` with code `bad_value` for an empty part, for names beside labels, for a label or a value of
    ///   another form than ``Inventory/Worker/labels`` describes, and for a label with two values; with code `bad_name`
    ///   for a part that is not a name.
    public init(parsing text: String) throws(BusError) {
        try self.init(parts: text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
    }

    /// Reads a selection from the parts that commas separate in a text.
    package init(parts: [String]) throws(BusError) {
        guard let first = parts.first, !parts.contains("") else { throw Errors.emptyPart(of: parts) }
        let hasLabels = first.contains("=")
        if let other = parts.first(where: { $0.contains("=") != hasLabels }) {
            throw hasLabels ? Errors.namesBesideLabels(other, first) : Errors.namesBesideLabels(first, other)
        }
        self = hasLabels ? .labels(try Self.labels(parts)) : .names(try Self.names(parts))
    }

    private static func names(_ parts: [String]) throws(BusError) -> Set<Name> {
        var names: Set<Name> = []
        for part in parts { names.insert(try Name(part)) }
        return names
    }

    private static func labels(_ parts: [String]) throws(BusError) -> [String: String] {
        var labels: [String: String] = [:]
        for part in parts {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            for side in sides where !LabelText.isValid(side) { throw Errors.notLabel(side, in: part) }
            if labels.updateValue(sides[1], forKey: sides[0]) != nil { throw Errors.labelTwice(sides[0]) }
        }
        return labels
    }
}

/// The grammar of labels and of their values, which is the same.
package enum LabelText {
    /// The most bytes of a label, and of its value.
    package static let maximumSizeInBytes = 128
    /// The most labels of a worker.
    package static let maximumCount = 32
    /// The grammar, for messages: the words after "use".
    package static let rule = "1 to \(maximumSizeInBytes) characters from A-Z a-z 0-9 _ - . / : @ +"

    /// Whether a text can be a label or its value.
    package static func isValid(_ text: String) -> Bool {
        (1...maximumSizeInBytes).contains(text.utf8.count) && text.utf8.allSatisfy(characters.contains)
    }

    private static let characters = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@+".utf8
    )
}

// MARK: - Checks

extension Selection {
    /// Why the selection does not fit these workers; nil if each part of it chooses at least one of them.
    package func flaw(among workers: [(name: Name, labels: [String: String])]) -> BusError? {
        switch self {
        case .all: return nil
        case .names(let names):
            let known = Set(workers.map(\.name))
            return names.subtracting(known).min().map { unknown in
                let guess = Spelling.guess(unknown.text, among: known.map(\.text).sorted())
                return Errors.unknownWorker(unknown, guess: guess)
            }
        case .labels(let labels):
            if workers.contains(where: { chooses($0.name, $0.labels) }) { return nil }
            let wanted = labels.map { "\($0.key)=\($0.value)" }.sorted()
            let known = Set(workers.flatMap { $0.labels.map { "\($0.key)=\($0.value)" } })
            let odd = wanted.filter { !known.contains($0) }
            let guess = odd.first.flatMap { Spelling.guess($0, among: known.sorted()) }
            return Errors.nobody(with: odd.isEmpty ? wanted : odd, guess: guess)
        case .any(let selections): return selections.lazy.compactMap { $0.flaw(among: workers) }.first
        }
    }
}

extension ErrorCode {
    /// A selection names a worker that the inventory does not have, or chooses no worker; no worker sends this code.
    public static let unknownWorker = ErrorCode(rawValue: "unknown_worker")
}

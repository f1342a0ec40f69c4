public import ForgeBusProtocol
import ForgeOrchestrator

/// A template for the id of a signal, with placeholders for values of the run: `deploy.{seed.version}.approve`.
///
/// `{run.id}` stands for the run's id, and `{seed.NAME}` for the run's seed of that name. Single dots in the seed's
/// value become `-`: `1.2.3` becomes `1-2-3`. So a seed cannot add tokens to the id, and its sender cannot choose a
/// signal that does not match the template.
public struct SignalTemplate: Hashable, Sendable, ExpressibleByStringLiteral {
    private enum Part: Hashable, Sendable {
        case text(String)
        case run
        case seed(String)
    }

    /// The template as written.
    public let text: String
    private let parts: [Part]

    /// The names of the seeds that the template needs.
    public var seeds: [String] {
        parts.compactMap { part in
            switch part {
            case .seed(let name): name
            case .text, .run: nil
            }
        }
    }

    /// Creates a template; `text` must be a valid signal id after each placeholder is replaced by a token.
    ///
    /// - Throws: `BusError` with code `bad_name` for any other text, or for an unknown placeholder.
    public init(_ text: String) throws(BusError) {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else { break }
            let place = rest[rest.index(after: open)..<close]
            parts.append(.text(String(rest[..<open])))
            switch place {
            case "run.id": parts.append(.run)
            case _ where place.hasPrefix("seed.") && place.count > 5: parts.append(.seed(String(place.dropFirst(5))))
            default: throw Errors.unknownPlaceInSignal(String(place))
            }
            rest = rest[rest.index(after: close)...]
        }
        parts.append(.text(String(rest)))
        self.text = text
        self.parts = parts
        let filled = fill { _ in "x" }
        do { _ = try Name(filled) } catch {
            let message = error.message.replacing(Printable.quoted(filled), with: Printable.quoted(text))
            throw BusError(error.code, message, next: error.next)
        }
    }

    /// The template of a gate that has a signal of its own in each run: `PIPELINE.ACTION.{run.id}`.
    ///
    /// - Throws: `BusError` with code `bad_name` if the names are too long together.
    package static func own(of action: String, in pipeline: Name) throws(BusError) -> SignalTemplate {
        try SignalTemplate("\(pipeline).\(action).{run.id}")
    }

    /// Creates a template from a literal; an invalid literal ends the process with an error message.
    public init(stringLiteral text: String) {
        do { self = try SignalTemplate(text) } catch { fatalError(error.description) }
    }

    /// A pattern of all signals that runs may open with the template; each placeholder matches a part of one token.
    package var pattern: NamePattern {
        // The initializer has checked the text with an `x` for each placeholder, so it is also valid with a `*` for each.
        do { return try NamePattern(openParts: fill { _ in "*" }) } catch { fatalError(error.description) }
    }

    /// The signal's id for a run.
    ///
    /// - Throws: `BusError` with code `bad_seed` if a seed is missing, its value cannot become one token, or the id
    ///   would be too long.
    func signal(for context: PipelineContext) throws(BusError) -> Name {
        try signal(of: context.runID?.text ?? "", with: context.written)
    }

    /// The signal's id for the run `run`, whose context begins with `values`.
    ///
    /// - Throws: `BusError` with code `bad_seed` if a seed is missing, its value cannot become one token, or the id
    ///   would be too long.
    func signal(of run: String, with values: [String: any Sendable]) throws(BusError) -> Name {
        for name in seeds where Self.token(values[name]) == nil {
            throw Errors.seedNotInSignal(name, of: text, found: Self.shown(values[name]))
        }
        let filled = fill { part in
            switch part {
            case .seed(let name): Self.token(values[name]) ?? ""
            case .run, .text: run
            }
        }
        do { return try Name(filled) } catch {
            throw Errors.noSignal(text, because: error.message)
        }
    }

    /// The value as one token of a name; nil if it cannot be one.
    ///
    /// Only a string or an integer can become a token. A token has no dots, so single dots in the value become `-`.
    package static func token(_ value: (any Sendable)?) -> String? {
        let text: String
        switch value {
        case let value as String: text = value
        case let value as Int: text = String(value)
        default: return nil
        }
        // The size first: a seed can be as long as a frame, and the other checks would take too long.
        guard text.utf8.count <= Name.maximumTokenSizeInBytes, (try? Name(text)) != nil else { return nil }
        return text.utf8.contains(UInt8(ascii: ".")) ? text.replacing(".", with: "-") : text
    }

    /// Describes a seed that cannot be part of an id, for an error message; without its value, which may be secret.
    private static func shown(_ value: (any Sendable)?) -> String {
        switch value {
        case nil: "missing"
        case let text as String where text.isEmpty: "an empty text"
        case let text as String where text.utf8.count > Name.maximumTokenSizeInBytes:
            "a text of \(text.utf8.count) bytes, which is too long"
        case let text as String:
            if let wrong = text.unicodeScalars.first(where: { $0 != "." && (try? Name(String($0))) == nil }) {
                "a text with the character \(Printable.quoted(String(wrong))), which an id cannot have"
            } else {
                "a text with a dot at its beginning or end, or with two dots in a row"
            }
        case _: "neither a text nor a whole number"
        }
    }

    private func fill(_ value: (Part) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .run, .seed: value(part)
            }
        }.joined()
    }
}
